// SPDX-License-Identifier: Apache-2.0
/// Facts of a layer out of its e-graph: values before those that read them, their extents, bytes and phases, and
/// classes that only a cycle computes left out.
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/layer_graph.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::planner;

constexpr auto x = input<0, dim<0>, 8>;
constexpr auto early = input_from<1, Phase::prompt, dim<0>, 8>;
constexpr auto layer = linear<"w", dim<1>, 8>(silu(x)) + linear_without_bias<"v", dim<1>, 8>(early);
using terms = typename planner::detail::terms_of<std::remove_cvref_t<decltype(layer)>>::type;
using graph_type = egraph::Graph<LayerLanguage<egraph::symbols_of<terms, types<>>, Shape<5, 6>>, most_graph_nodes>;

TEST(Survey, ValuesStandBehindWhatTheyRead) {
    constexpr auto built = layer_graph<graph_type, types<>>(terms{});
    constexpr Facts facts = survey(built.graph, built.result, built.results, 2);
    static_assert(!facts.limited && facts.roots == 1 && facts.values == facts.nodes);
    int inputs = 0, weights = 0, cores = 0, in_prompt = 0;
    for (int n = 0; n < facts.nodes; ++n) {
        const NodeFacts& node = facts.node[n];
        inputs += node.symbol.role == Role::input;
        weights += node.symbol.role == Role::weight;
        cores += node.symbol.core == Core::linear;
        for (int i = 0; i < node.operands; ++i) EXPECT_LT(node.operand[i], node.value);
        const ValueFacts& v = facts.value[node.value];
        in_prompt += node.symbol.role == Role::core && v.phase == static_cast<int>(Phase::prompt);
        EXPECT_EQ(v.phase == 0, node.symbol.role == Role::weight);
    }
    EXPECT_EQ(inputs, 2);
    EXPECT_EQ(weights, 3);
    EXPECT_EQ(cores, 2);
    EXPECT_EQ(in_prompt, 1) << "the product of what is known then";
    const ValueFacts& result = facts.value[facts.root[0]];
    EXPECT_EQ(result.extents[0], 5);
    EXPECT_EQ(result.extents[1], 6);
    EXPECT_EQ(result.bytes, 2);
    EXPECT_EQ(facts.root[0], facts.values - 1);
}
TEST(Survey, ANodeAroundACycleIsDropped) {
    auto built = layer_graph<graph_type, types<>>(terms{});
    const egraph::Id sum = built.graph.find(built.result[0]);
    const egraph::Id below = built.graph.find(built.graph.node(built.graph.first(sum)).child[0]);
    built.graph.merge(sum, below);     // the sum is one of its operands now, which is computed otherwise too
    built.graph.rebuild();
    const Facts facts = survey(built.graph, built.result, built.results, 2);
    ASSERT_FALSE(facts.lost);
    const int root = facts.root[0];
    EXPECT_EQ(facts.first[root + 1] - facts.first[root], 1);
}

}  // namespace
