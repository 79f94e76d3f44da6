// SPDX-License-Identifier: Apache-2.0
/// The storage type of an expression that only moves values, and the output that a sink stores as it is: values can be
/// kept as they are stored, in half the room.
#pragma once

#include <inlay/expr/leaf.hpp>
#include <inlay/expr/sink.hpp>
#include <inlay/expr/sink/with_row_stats.hpp>
#include <inlay/expr/sink/with_stats.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::detail {

template <class Env, class N>
struct stored_leaf {
    using type = void;
};
template <class Env, int I>
struct stored_leaf<Env, Buf<I>> {
    using type = std::remove_const_t<typename type_at<I, typename Env::tensors>::value_type>;
};
/// The type of all tensors of an expression that is made of views alone; void: of another expression.
template <class Env, class Nodes>
struct stored_type;
template <class Env, class First, class... N>
struct stored_type<Env, types<First, N...>> {
    using T = typename stored_leaf<Env, First>::type;
    static constexpr bool one =
        ((std::is_same_v<T, typename stored_leaf<Env, N>::type> || N::kind == NodeKind::view) && ...);
    using type = std::conditional_t<one && !std::is_same_v<T, double>, T, void>;
};

/// The output to which a sink stores values at the kernel's own coordinates; -1: there is none.
template <class S>
inline constexpr int stored_slot = stats_source<S>;
template <int I>
inline constexpr int stored_slot<Store<I>> = I;
template <int I, int J>
inline constexpr int stored_slot<WithRowStats<Store<I>, J>> = I;

}  // namespace inlay::inline INLAY_ABI::detail
