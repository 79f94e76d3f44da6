// SPDX-License-Identifier: Apache-2.0
/// Projections of one tensor that an attention reads, as one product.
///
/// Proof: row n of a product is Σ_k x_k w[n, k], of one row of the weight alone. So the products with w_0, w_1, … side
/// by side are the product with their rows one below the other, and part i of its columns is that with w_i. Biases are
/// of one column each. Exact; no weight is rounded again.
///
/// Condition: the weights have equally many rows, else equal parts of the columns are not the products; not so where
/// queries have more heads than keys. They are known at load.
#pragma once

#include <inlay/rewrite/planner/load/joined.hpp>
#include <inlay/rewrite/planner/rules/pattern.hpp>

namespace inlay::inline INLAY_ABI::planner::rules {

namespace detail {

template <int I>
using row_weight = Var<1 + I>;
template <int I>
using row_bias = Var<4 + I>;
/// x·w_i, and with its bias.
template <int I, bool Biased>
struct projected {
    using type = linear<Var<0>, row_weight<I>>;
};
template <int I>
struct projected<I, true> {
    using type = sum<linear<Var<0>, row_weight<I>>, row_bias<I>>;
};
template <int I, bool Biased>
using projection = typename projected<I, Biased>::type;

template <int N, bool Biased>
struct joined_projections;
template <>
struct joined_projections<2, false> {
    using type = linear<Var<0>, Term<load::JoinRows<2>, row_weight<0>, row_weight<1>>>;
};
template <>
struct joined_projections<3, false> {
    using type = linear<Var<0>, Term<load::JoinRows<3>, row_weight<0>, row_weight<1>, row_weight<2>>>;
};
template <>
struct joined_projections<2, true> {
    using type = sum<typename joined_projections<2, false>::type, Term<load::JoinVectors<2>, row_bias<0>, row_bias<1>>>;
};
template <>
struct joined_projections<3, true> {
    using type = sum<typename joined_projections<3, false>::type,
                     Term<load::JoinVectors<3>, row_bias<0>, row_bias<1>, row_bias<2>>>;
};

template <class S>
inline constexpr bool is_function = false;
template <class E>
inline constexpr bool is_function<Expression<E>> = E::kind == NodeKind::pointwise && E::children::size == 1;
struct AnyFunction {
    template <class S>
    static constexpr bool is = is_function<S>;
};

template <class X>
using split_heads = Term<AnySymbol<1, AnyHeads>, X>;

/// True if a class is the product of x with some weight, its bias and layout aside.
template <class G>
constexpr bool is_product_of(const G& graph, egraph::Id c, egraph::Id x, int depth = 3) {
    constexpr int linear_symbol = G::template symbol_index<core::Linear>;
    for (egraph::Id n = graph.first(c); n != egraph::none; n = graph.next(n)) {
        const auto& node = graph.node(n);
        if (node.symbol == linear_symbol && graph.find(node.child[0]) == graph.find(x)) return true;
        if (node.arity > 0 && depth > 0 && is_product_of(graph, node.child[0], x, depth - 1)) return true;
    }
    return false;
}

}  // namespace detail

/// Attention over Q, K and V of one tensor. Mask: operands of the attention after V.
template <bool Biased, class... Mask>
struct JoinQueryKeyValue {
    template <class Q, class K, class V>
    using attention = Term<AnySymbol<0, AnyAttention<sizeof...(Mask)>>, detail::split_heads<Q>, detail::split_heads<K>,
                           detail::split_heads<V>, Mask...>;
    using together = typename detail::joined_projections<3, Biased>::type;
    using from = attention<detail::projection<0, Biased>, detail::projection<1, Biased>, detail::projection<2, Biased>>;
    using to = attention<part<0, 3, together>, part<1, 3, together>, part<2, 3, together>>;
    static constexpr const char* name = "Q, K and V in one product";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        const index_t rows = data<1>(graph, match).extents[0];
        return !is_twice(graph, match.root) && are_weights<1, 2, 3>(graph, match) &&
               data<2>(graph, match).extents[0] == rows && data<3>(graph, match).extents[0] == rows;
    }
};

/// Attention over K and V of one tensor, and Q of another: cross-attention. Var<7>: Q.
template <bool Biased, class... Mask>
struct JoinKeyValue {
    template <class K, class V>
    using attention = Term<AnySymbol<0, AnyAttention<sizeof...(Mask)>>, Var<7>, detail::split_heads<K>,
                           detail::split_heads<V>, Mask...>;
    using together = typename detail::joined_projections<2, Biased>::type;
    using from = attention<detail::projection<0, Biased>, detail::projection<1, Biased>>;
    using to = attention<part<0, 2, together>, part<1, 2, together>>;
    static constexpr const char* name = "K and V in one product";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return !is_twice(graph, match.root) && are_weights<1, 2>(graph, match) &&
               data<1>(graph, match).extents[0] == data<2>(graph, match).extents[0] &&
               !detail::is_product_of(graph, match.var[7], match.var[0]);
    }
};

/// Two products of one tensor that are multiplied, F of the first one: gated layers such as silu(x·w)·(x·v).
template <bool First>
struct JoinGated {
    template <class A, class B>
    using gated = std::conditional_t<First, times<Term<AnySymbol<0, detail::AnyFunction>, A>, B>,
                                     times<A, Term<AnySymbol<0, detail::AnyFunction>, B>>>;
    using together = typename detail::joined_projections<2, false>::type;
    using from = gated<detail::projection<0, false>, detail::projection<1, false>>;
    using to = gated<part<0, 2, together>, part<1, 2, together>>;
    static constexpr const char* name = "gate and gated in one product";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return !is_twice(graph, match.root) && are_weights<1, 2>(graph, match) &&
               data<1>(graph, match).extents[0] == data<2>(graph, match).extents[0];
    }
};

/// Part I of a joined product is the product that it was before: both are one class, so other readers of it read the
/// part, and what follows is not there twice.
template <int I, int N, bool Biased>
struct PartOfJoined {
    using from = part<I, N, typename detail::joined_projections<N, Biased>::type>;
    using to = detail::projection<I, Biased>;
    static constexpr const char* name = "part of a joined product";
    static constexpr bool rounds = false;
};

using joined_products =
    types<JoinQueryKeyValue<false>, JoinQueryKeyValue<true>, JoinQueryKeyValue<false, Var<7>>,
          JoinQueryKeyValue<true, Var<7>>, JoinKeyValue<false>, JoinKeyValue<true>, JoinKeyValue<false, Var<3>>,
          JoinKeyValue<true, Var<3>>, JoinGated<true>, JoinGated<false>, PartOfJoined<0, 3, false>,
          PartOfJoined<1, 3, false>, PartOfJoined<2, 3, false>, PartOfJoined<0, 3, true>, PartOfJoined<1, 3, true>,
          PartOfJoined<2, 3, true>, PartOfJoined<0, 2, false>, PartOfJoined<1, 2, false>, PartOfJoined<0, 2, true>,
          PartOfJoined<1, 2, true>>;

}  // namespace inlay::inline INLAY_ABI::planner::rules
