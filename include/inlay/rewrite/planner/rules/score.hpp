// SPDX-License-Identifier: Apache-2.0
/// The scale of an attention's scores in the columns of Q, for a softmax of powers of two.
#pragma once

#include <inlay/rewrite/planner/load/folded.hpp>
#include <inlay/rewrite/planner/rules/pattern.hpp>

namespace inlay::inline INLAY_ABI::planner::rules {

namespace detail {

/// Options with Score in the place of score::Scaled, which need not be named.
template <class... Option>
inline constexpr bool is_scaled = std::is_same_v<option_of<score_option, Option...>, score::Scaled> &&
                                  std::is_void_v<option_of<row_option, Option...>>;
template <class Kept, class... Option>
struct binary_options;
template <class... Kept>
struct binary_options<types<Kept...>> {
    template <auto D>
    using attention = core::Attention<D, Kept..., score::Base2>;
};
template <class... Kept, class Option, class... More>
struct binary_options<types<Kept...>, Option, More...> : binary_options<types<Kept..., Option>, More...> {};
template <class... Kept, class... More>
struct binary_options<types<Kept...>, score::Scaled, More...> : binary_options<types<Kept...>, More...> {};

/// The factor of queries as a symbol: a constant, or a number that heads of the layer's width give.
template <auto D>
constexpr auto find_query_factor() {
    if constexpr (std::is_same_v<decltype(D), Dim>) return std::type_identity<QueryFactor<D>>{};
    else return std::type_identity<Expression<Const<query_factor(D)>>>{};
}
template <auto D>
using query_number = Term<typename decltype(find_query_factor<D>())::type>;

}  // namespace detail

/// attention(q, k, v) = attention of powers of two (c·q, k, v), with c = log2(e) / √D.
///
/// Proof: e^(q·k/√D) = 2^(log2(e)·q·k/√D) = 2^((c·q)·k), for each score; a softmax is a quotient of sums of these. A
/// mask takes the same scores out. Exact. Q is multiplied in fp32 in the epilogue of its product, and rounded once, as
/// before.
///
/// Condition: the score is Scaled, in the pattern by its options. A score of the caller's own, as a softcap, is no
/// multiple of q·k.
template <auto D, class Mask, class... Option>
struct ScaleOfScore;
template <auto D, class... Mask, class... Option>
struct ScaleOfScore<D, types<Mask...>, Option...> {
    using from = Term<core::Attention<D, Option...>, Var<0>, Var<1>, Var<2>, Mask...>;
    using to = Term<typename detail::binary_options<types<>, Option...>::template attention<D>,
                    times<Var<0>, detail::query_number<D>>, Var<1>, Var<2>, Mask...>;
    static constexpr const char* name = "scale of the score in Q";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return !is_twice(graph, match.root);
    }
};

/// c·heads(x) = heads(c·x).
///
/// Proof: heads change the place of elements alone, and c is one number. Exact.
template <auto D>
struct ScaleBelowHeads {
    using from = times<Term<Heads<D>, Var<0>>, detail::query_number<D>>;
    using to = Term<Heads<D>, times<Var<0>, detail::query_number<D>>>;
    static constexpr const char* name = "scale of Q before its heads";
    static constexpr bool rounds = false;
};

/// Q of a joined product: c times the first part is the first part of the product times a vector over the columns, c
/// for Q and 1 for the others; so are the other parts. One epilogue serves all three.
///
/// Proof: 1·y = y. Exact.
template <auto D, bool Biased, class Mask, class... Option>
struct ScaleOfColumns;
template <auto D, bool Biased, class... Mask, class... Option>
struct ScaleOfColumns<D, Biased, types<Mask...>, Option...> {
    using product = linear<Var<0>, Var<1>>;
    using columns = std::conditional_t<Biased, sum<product, Var<2>>, product>;
    using scaled = times<columns, Term<load::QueryFactors<D, 3>, Var<1>>>;
    template <class Q, class K, class V>
    using attention = Term<typename detail::binary_options<types<>, Option...>::template attention<D>,
                           Term<Heads<D>, Q>, Term<Heads<D>, K>, Term<Heads<D>, V>, Mask...>;
    using from =
        attention<times<part<0, 3, columns>, detail::query_number<D>>, part<1, 3, columns>, part<2, 3, columns>>;
    using to = attention<part<0, 3, scaled>, part<1, 3, scaled>, part<2, 3, scaled>>;
    static constexpr const char* name = "scale of Q in a column of the joined product";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return !is_twice(graph, match.root) && are_weights<1>(graph, match) && data<1>(graph, match).rank == 2;
    }
};

namespace detail {

template <bool Scaled, auto D, class... Option>
struct score_rules_of {
    using type = types<>;
};
template <auto D, class... Option>
struct score_rules_of<true, D, Option...> {
    using mask = std::conditional_t<planner::detail::option_tensors<Option...> == 0, types<>, types<Var<3>>>;
    using type = types<ScaleOfScore<D, mask, Option...>, ScaleBelowHeads<D>, ScaleOfColumns<D, false, mask, Option...>,
                       ScaleOfColumns<D, true, mask, Option...>>;
};

}  // namespace detail

/// Rules that an attention brings.
template <auto D, class... Option>
using score_rules = typename detail::score_rules_of<detail::is_scaled<Option...>, head_width(D), Option...>::type;

}  // namespace inlay::inline INLAY_ABI::planner::rules
