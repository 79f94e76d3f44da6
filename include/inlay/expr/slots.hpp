// SPDX-License-Identifier: Apache-2.0
/// The arguments that a kernel takes: the numbers of outputs, tensor slots and scalar slots that its types name,
/// without gaps.
#pragma once

#include <inlay/expr/leaf.hpp>
#include <inlay/expr/sink/store.hpp>
#include <inlay/expr/sink/with_row_stats.hpp>
#include <inlay/expr/sink/with_stats.hpp>
#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/pad.hpp>
#include <inlay/expr/view/published.hpp>
#include <inlay/expr/view/reshape.hpp>
#include <inlay/expr/view/slice.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

template <class T>
inline constexpr int buf_of = -1;
template <int I>
inline constexpr int buf_of<Buf<I>> = I;

template <class T>
inline constexpr int store_of = -1;
template <int I>
inline constexpr int store_of<Store<I>> = I;
template <class S, int J>
inline constexpr int store_of<WithStats<S, J>> = J;
template <class S, int J>
inline constexpr int store_of<WithRowStats<S, J>> = J;

/// Highest scalar slot among the static arguments of a node, or the node itself.
template <class T>
inline constexpr int param_of = -1;
template <int I>
inline constexpr int param_of<Param<I>> = I;
template <auto A>
constexpr int param_in() {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(A)>, ParamSlot>) return static_cast<int>(A);
    else return -1;
}
template <class E, auto... A>
inline constexpr int param_of<node::Slice<E, A...>> = max_of({-1, param_in<A>()...});
template <class E, auto... D>
inline constexpr int param_of<node::Reshape<E, D...>> = max_of({-1, param_in<D>()...});
template <auto A, class... E>
inline constexpr int param_of<node::Concat<A, E...>> = param_in<A>();
template <class E, auto X, auto B, auto A, Real V>
inline constexpr int param_of<node::Pad<E, X, B, A, V>> = max_of({param_in<X>(), param_in<B>(), param_in<A>()});

template <class Nodes>
struct slot_count;
template <class... N>
struct slot_count<types<N...>> {
    static constexpr int bufs = max_of({-1, buf_of<N>...}) + 1;
    static constexpr int stores = max_of({-1, store_of<N>...}) + 1;
    static constexpr int params = max_of({-1, param_of<N>...}) + 1;
    static constexpr bool uses_out = (is_sum<N> || ...), uses_gate = (std::is_same_v<N, OutGate> || ...);
    static constexpr bool reads_records = (is_published<N> || ...);
    template <int I>
    static constexpr bool has_buf = ((buf_of<N> == I) || ...);
    template <int I>
    static constexpr bool has_store = ((store_of<N> == I) || ...);
    template <int... I>
    static constexpr bool dense_bufs(std::integer_sequence<int, I...>) {
        return (has_buf<I> && ...);
    }
    template <int... I>
    static constexpr bool dense_stores(std::integer_sequence<int, I...>) {
        return (has_store<I> && ...);
    }
    static constexpr bool dense = dense_bufs(std::make_integer_sequence<int, bufs>{}) &&
                                  dense_stores(std::make_integer_sequence<int, stores>{});
    static constexpr bool empty_types = (std::is_empty_v<N> && ...);
};

}  // namespace detail

/// The slots that several expressions name together.
template <class... E>
struct Slots {
    using nodes = unite_types<nodes_of<E>...>;
    using counts = detail::slot_count<nodes>;
    static constexpr int tensors = counts::bufs;
    static constexpr int outputs = counts::stores;
    static constexpr int scalars = counts::params;
};

/// True if an epilogue reads two sums of a product (`frame/linear.hpp`). `paired_column`: the place of the n-th
/// column's sum among those of all rows of weights; that of OutGate lies 16 further.
template <class Epilogue>
inline constexpr bool gated = Slots<Epilogue>::counts::uses_gate;
INLAY_FN constexpr index_t paired_column(index_t n) { return n / 16 * 32 + n % 16; }

}  // namespace inlay::inline INLAY_ABI
