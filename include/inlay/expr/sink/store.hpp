// SPDX-License-Identifier: Apache-2.0
/// Store: an output, written as it is. Every sink ends in one.
#pragma once

#include <inlay/expr/node.hpp>

namespace inlay::inline INLAY_ABI {

/// Output slot I, written as it is. Outputs come first among the arguments of `prepare`.
template <int I>
struct Store : sink_expression {
    static_assert(I >= 0, "inlay: an output slot is numbered from 0");
    using children = types<>;
    static constexpr int slot = I;
    static constexpr int pieces = 0;
};

namespace detail {
template <class S>
inline constexpr bool is_store = false;
template <int I>
inline constexpr bool is_store<Store<I>> = true;
}  // namespace detail

template <int I>
inline constexpr Store<I> store{};

}  // namespace inlay::inline INLAY_ABI
