// SPDX-License-Identifier: Apache-2.0
/// Rules of layers under test: both sides as terms over random tensors, and graphs that a rule is applied to.
#pragma once

#include <gtest/gtest.h>

#include "../interpret_graph.hpp"

#include <inlay/rewrite/egraph/saturate.hpp>
#include <inlay/rewrite/planner/flatten.hpp>
#include <inlay/rewrite/planner/language.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/rules/list.hpp>

#include <array>

namespace inlay_test {

using namespace inlay::planner;
namespace egraph = inlay::egraph;
namespace rules = inlay::planner::rules;
using egraph::Term;
using inlay::types;

/// A pattern with terms in the place of its variables.
template <class Pattern, class Vars, class Symbols>
struct instantiated;
template <int I, class Vars, class Symbols>
struct instantiated<egraph::Var<I>, Vars, Symbols> {
    using type = inlay::type_at<I, Vars>;
};
template <class S, class... Args, class Vars, class Symbols>
struct instantiated<Term<S, Args...>, Vars, Symbols> {
    using type = Term<S, typename instantiated<Args, Vars, Symbols>::type...>;
};
template <int I, class Kind, class... Args, class Vars, class Symbols>
struct instantiated<Term<egraph::AnySymbol<I, Kind>, Args...>, Vars, Symbols> {
    using symbol = inlay::type_at<I, Symbols>;
    static_assert(Kind::template is<symbol>);
    using type = Term<symbol, typename instantiated<Args, Vars, Symbols>::type...>;
};

/// Lengths of the axes from `low` to `high`, as a rule's test wants them.
using Range = std::array<index_t, 2>;
template <std::size_t N>
Lengths random_lengths(unsigned seed, const std::array<Range, N>& ranges) {
    std::mt19937 random(seed);
    Lengths l;
    for (const Range& r : ranges) l.length[l.axes++] = std::uniform_int_distribution<index_t>(r[0], r[1])(random);
    return l;
}

/// Both sides of rule R over the same tensors, at several random lengths. `mean`: of the inputs.
template <class R, class Vars, class Symbols = types<>, std::size_t N>
void expect_equal_sides(const std::array<Range, N>& ranges, double mean = 0, double tolerance = 1e-12) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
        const Leaves leaves{random_lengths(seed, ranges), seed, mean};
        const Value from = interpret<typename instantiated<typename R::from, Vars, Symbols>::type>(leaves);
        const Value to = interpret<typename instantiated<typename R::to, Vars, Symbols>::type>(leaves);
        EXPECT_LE(error_of(to, from), tolerance) << R::name << ", seed " << seed;
    }
}
/// The error of the right side where the rule's condition does not hold.
template <class R, class Vars, class Symbols = types<>>
double error_of_sides(const Lengths& lengths) {
    const Leaves leaves{lengths, 1, 0};
    return error_of(interpret<typename instantiated<typename R::to, Vars, Symbols>::type>(leaves),
                    interpret<typename instantiated<typename R::from, Vars, Symbols>::type>(leaves));
}

/// Applies rules to a term in an e-graph, and sees that all nodes of each class have one value. Returns how often each
/// rule made two classes one.
template <class Rules, class Root, class LayerShape>
auto apply_rules(double tolerance = 1e-11) {
    egraph::Graph<LayerLanguage<egraph::symbols_of<Root, Rules>, LayerShape>> graph;
    egraph::add_term<Root>(graph);
    const auto result = egraph::saturate<Rules>(graph);
    EXPECT_TRUE(result.saturated);
    EXPECT_EQ(graph.conflict().a, egraph::none);
    const ClassErrors errors = errors_of_classes(graph, Leaves{LayerShape::lengths});
    EXPECT_EQ(errors.nodes, graph.live_nodes());
    EXPECT_LE(errors.worst, tolerance) << errors.where;
    return result;
}
/// Applications of one rule to a term.
template <class R, class Root, class LayerShape>
int applications() {
    return apply_rules<types<R>, Root, LayerShape>().applied[0];
}

}  // namespace inlay_test
