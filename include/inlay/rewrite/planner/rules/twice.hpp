// SPDX-License-Identifier: Apache-2.0
/// The two halves of guidance computed once: a tensor that follows itself goes through a layer as one half, up to where
/// the halves differ.
///
/// Proof: item b of Twice(x) is item b mod B of x. If item b of f depends on item b of its operands alone, and not on
/// b, then item b of f(Twice(x)) is item b mod B of f(x): f(Twice(x)) = Twice(f(x)), and so with several operands.
/// Exact.
///
/// Conditions: f treats items alike (`batchwise.hpp`): a softmax over the first axis does not. An operand that is not a
/// Twice serves all items alike: a weight, a number, or a tensor whose first axis has extent 1 or is not there. No node
/// of the layer reads coordinates, which number the items.
#pragma once

#include <inlay/rewrite/planner/rules/batchwise.hpp>

namespace inlay::inline INLAY_ABI::planner::rules {

namespace detail {

/// Symbols of N operands that all have items.
template <int N>
struct TakesItems {
    template <class S>
    static constexpr bool is = batchwise<S>.batch == Batch::all && arity<S> == N;
};
/// Symbols of N operands, of which others than the one before may serve all items alike.
template <int N, bool First>
struct TakesOthers {
    template <class S>
    static constexpr bool is = arity<S> == N && (is_pointwise<S> || (First && batchwise<S>.batch == Batch::first));
};

template <class X>
using twice = Term<Twice, X>;

/// True if the symbol of a match treats items alike at the rank that the first operand has.
template <class G, class M>
constexpr bool treats_items_alike(const G& graph, const M& match, int rank) {
    using tables = batch_tables<typename G::symbols>;
    if (tables::coordinates) return false;
    const int symbol = match.symbol[0];
    return rank > tables::batch[symbol].from_end && rank > 0 && graph.data(match.root).rank > 0;
}
/// True if a class serves all items of the result alike: it does not reach to the first axis, or has extent 1 there.
constexpr bool serves_all(const ClassData& d, const ClassData& result) {
    return d.rank < result.rank || (d.extents[0] == 1 && result.extents[0] > 1);
}

}  // namespace detail

/// f(Twice(x)) = Twice(f(x))
struct TwiceOfOne {
    using f = AnySymbol<0, detail::TakesItems<1>>;
    using from = Term<f, detail::twice<Var<0>>>;
    using to = detail::twice<Term<f, Var<0>>>;
    static constexpr const char* name = "one half of one operand";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return detail::treats_items_alike(graph, match, data<0>(graph, match).rank);
    }
};
/// f(Twice(x), Twice(y)) = Twice(f(x, y))
struct TwiceOfTwo {
    using f = AnySymbol<0, detail::TakesItems<2>>;
    using from = Term<f, detail::twice<Var<0>>, detail::twice<Var<1>>>;
    using to = detail::twice<Term<f, Var<0>, Var<1>>>;
    static constexpr const char* name = "one half of two operands";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        const ClassData &x = data<0>(graph, match), &y = data<1>(graph, match);
        return x.rank == y.rank && x.extents[0] == y.extents[0] && detail::treats_items_alike(graph, match, x.rank);
    }
};
/// f(Twice(x), Twice(y), Twice(z)) = Twice(f(x, y, z))
struct TwiceOfThree {
    using f = AnySymbol<0, detail::TakesItems<3>>;
    using from = Term<f, detail::twice<Var<0>>, detail::twice<Var<1>>, detail::twice<Var<2>>>;
    using to = detail::twice<Term<f, Var<0>, Var<1>, Var<2>>>;
    static constexpr const char* name = "one half of three operands";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        const ClassData &x = data<0>(graph, match), &y = data<1>(graph, match), &z = data<2>(graph, match);
        return x.rank == y.rank && x.rank == z.rank && x.extents[0] == y.extents[0] && x.extents[0] == z.extents[0] &&
               detail::treats_items_alike(graph, match, x.rank);
    }
};
/// f(Twice(x), y) = Twice(f(x, y)), and f(y, Twice(x)), with y alike for all items.
template <bool First>
struct TwiceBeside {
    using f = AnySymbol<0, detail::TakesOthers<2, First>>;
    using from =
        std::conditional_t<First, Term<f, detail::twice<Var<0>>, Var<1>>, Term<f, Var<1>, detail::twice<Var<0>>>>;
    using to = detail::twice<std::conditional_t<First, Term<f, Var<0>, Var<1>>, Term<f, Var<1>, Var<0>>>>;
    static constexpr const char* name = "one half beside what serves both";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return holds_beside<1>(graph, match);
    }
    template <int... Other, class G, class M>
    static constexpr bool holds_beside(const G& graph, const M& match) {
        const ClassData &x = data<0>(graph, match), &result = graph.data(match.root);
        if (!detail::treats_items_alike(graph, match, x.rank)) return false;
        // Operands of a product, convolution or norm other than the first are weights.
        if (detail::batch_tables<typename G::symbols>::batch[match.symbol[0]].batch == Batch::first)
            return are_weights<Other...>(graph, match);
        return (detail::serves_all(data<Other>(graph, match), result) && ...);
    }
};
/// f(Twice(x), y, z) = Twice(f(x, y, z)), with y and z alike for all items.
struct TwiceBesideTwo {
    using f = AnySymbol<0, detail::TakesOthers<3, true>>;
    using from = Term<f, detail::twice<Var<0>>, Var<1>, Var<2>>;
    using to = detail::twice<Term<f, Var<0>, Var<1>, Var<2>>>;
    static constexpr const char* name = "one half beside two that serve both";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return TwiceBeside<true>::template holds_beside<1, 2>(graph, match);
    }
};

using twice_rules = types<TwiceOfOne, TwiceOfTwo, TwiceOfThree, TwiceBeside<true>, TwiceBeside<false>, TwiceBesideTwo>;

}  // namespace inlay::inline INLAY_ABI::planner::rules
