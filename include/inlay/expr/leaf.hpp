// SPDX-License-Identifier: Apache-2.0
/// The leaves: what is known only at run time is an indexed slot, so the same type always has the same value.
#pragma once

#include <inlay/expr/node.hpp>

namespace inlay::inline INLAY_ABI {

/// Tensor slot I. Slots number the whole kernel: prologue, epilogue and sink together.
template <int I>
struct Buf : leaf {
    static_assert(I >= 0, "inlay: a tensor slot is numbered from 0");
    static constexpr int slot = I;
};

/// What the kernel computed, at the coordinate the epilogue is evaluated for.
struct Out : leaf {};

/// A compile-time constant.
template <double V>
struct Const : leaf {
    static constexpr double value = V;
};

/// Run-time scalar slot I: a value or a pointer bound at prepare. It never instantiates a new kernel.
template <int I>
struct Param : leaf {
    static_assert(I >= 0, "inlay: a scalar slot is numbered from 0");
    static constexpr int slot = I;
};

/// The coordinate along an axis, as a number; negative axes count from the last.
template <int Axis>
struct Coord : leaf {
    static constexpr int axis = Axis;
};

template <int I>
inline constexpr Buf<I> buf{};
template <int I>
inline constexpr Param<I> param{};
template <double V>
inline constexpr Const<V> constant{};
template <int Axis>
inline constexpr Coord<Axis> coord{};
inline constexpr Out out{};

namespace detail {

template <class T>
inline constexpr bool is_param = false;
template <int I>
inline constexpr bool is_param<Param<I>> = true;

/// Static arguments of views are numbers or `param<I>`. Numbers are normalised, so that 0 and 0u make one type.
template <auto A>
constexpr auto normal() {
    if constexpr (is_param<std::remove_cvref_t<decltype(A)>>) return A;
    else return static_cast<index_t>(A);
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
