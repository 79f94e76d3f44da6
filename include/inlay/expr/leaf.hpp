// SPDX-License-Identifier: Apache-2.0
/// The leaves: values of run time are indexed slots, so the same type always has the same value.
#pragma once

#include <inlay/expr/node.hpp>

namespace inlay::inline INLAY_ABI {

/// Tensor slot I. Slots number the whole kernel: prologue, epilogue and sink together.
template <int I>
struct Buf : leaf {
    static_assert(I >= 0, "inlay: a tensor slot is numbered from 0");
    static constexpr int slot = I;
};

/// The kernel's result at the coordinate for which the epilogue is evaluated.
struct Out : leaf {};

/// The second sum of a gated product (`frame/linear.hpp`), read like Out.
struct OutGate : leaf {};

namespace node {
template <detail::Real V>
struct Const : leaf {
    static constexpr double value = detail::value_of(V);
};
}  // namespace node

namespace detail {
template <auto V>
constexpr Real real_of() {
    static_assert(std::is_arithmetic_v<decltype(V)>, "inlay: Const<V> is of a number, such as Const<0.5>");
    if constexpr (std::is_arithmetic_v<decltype(V)>) return real(static_cast<double>(V));
    else return {};
}
}  // namespace detail

/// A compile-time constant, a number of any type.
template <auto V>
using Const = node::Const<detail::real_of<V>()>;

/// Run-time scalar slot I: a value or a pointer bound at prepare. It never instantiates a new kernel.
template <int I>
struct Param : leaf {
    static_assert(I >= 0, "inlay: a scalar slot is numbered from 0");
    static constexpr int slot = I;
};

/// `param<I>` as a static argument of a node. An enumerator, because nvcc prints a template argument of class type back
/// to the host compiler as the undeclared name `__T0`.
enum class ParamSlot : int {};

/// The coordinate along an axis, as a number; negative axes count from the last.
template <int Axis>
struct Coord : leaf {
    static constexpr int axis = Axis;
};

/// The query of a score [B, heads, Sq, Skv] of attention counted from the end of the keys, q + Skv − Sq: the last query
/// stands at the last key.
struct QueryPosition : leaf {};

template <int I>
inline constexpr Buf<I> buf{};
template <int I>
inline constexpr Param<I> param{};
template <auto V>
inline constexpr Const<V> constant{};
template <int Axis>
inline constexpr Coord<Axis> coord{};
inline constexpr QueryPosition query_position{};
inline constexpr Out out{};
inline constexpr OutGate out_gate{};

namespace detail {

/// Leaves that stand for the kernel's result.
template <class E>
inline constexpr bool is_sum = false;
template <>
inline constexpr bool is_sum<Out> = true;
template <>
inline constexpr bool is_sum<OutGate> = true;

template <class T>
inline constexpr bool is_param = false;
template <int I>
inline constexpr bool is_param<Param<I>> = true;

/// A static argument that is a number: an index_t of the same value.
template <auto A>
constexpr index_t as_index() {
    using T = std::remove_cvref_t<decltype(A)>;
    static_assert(std::is_integral_v<T> && (std::is_signed_v<T> || static_cast<std::uint64_t>(A) <= INT64_MAX),
                  "inlay: the static arguments of views and sinks are integers, or param<I> where a view takes it");
    return static_cast<index_t>(A);
}
template <auto A>
inline constexpr index_t index = as_index<A>();

template <auto A, class T = std::remove_cvref_t<decltype(A)>>
struct static_argument {
    using type = std::integral_constant<index_t, index<A>>;
};
template <auto A, int I>
struct static_argument<A, Param<I>> {
    using type = std::integral_constant<ParamSlot, ParamSlot{I}>;
};
template <auto A>
struct static_argument<A, ParamSlot> {
    using type = std::integral_constant<ParamSlot, A>;
};
/// Static arguments of views are numbers or `param<I>`. `normal<A>::value` is the one spelling of each: an index_t, so
/// that 0 and 0u make one type, or a ParamSlot.
template <auto A>
using normal = typename static_argument<A>::type;

/// True if a static argument can be an axis of a tensor of rank R; a run-time one is checked when it is bound.
template <auto Axis>
constexpr bool is_axis(int rank) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(Axis)>, ParamSlot>) return rank > 0;
    else return Axis >= -rank && Axis < rank;
}

/// True where a static argument is a number from `least` on; a run-time one is checked when it is bound.
template <auto A>
constexpr bool at_least(index_t least) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(A)>, ParamSlot>) return true;
    else return A >= least;
}

/// True where static arguments are axes of a tensor of rank R, none of them twice.
template <index_t... Axes>
constexpr bool are_axes(int rank) {
    if (!(is_axis<Axes>(rank) && ...)) return false;
    const index_t axes[] = {(Axes < 0 ? Axes + rank : Axes)...};
    for (std::size_t i = 0; i < sizeof...(Axes); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (axes[i] == axes[j]) return false;
    return true;
}

/// The axis of a tensor of rank R that a static argument names. A constant unless it is a scalar slot, whose value was
/// `bound`: a coordinate indexed by it can stay in registers.
template <auto Axis, int R>
INLAY_FN constexpr int axis_of([[maybe_unused]] int bound = 0) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(Axis)>, ParamSlot>) return bound;
    else return static_cast<int>(Axis < 0 ? Axis + R : Axis);
}

/// A negative axis is the same one of every operand it is broadcast to.
template <auto Axis>
constexpr bool counts_from_last() {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(Axis)>, ParamSlot>) return false;
    else return Axis < 0;
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
