// SPDX-License-Identifier: Apache-2.0
/// The e-graph of a layer: one class for each value, placements by hand on the class of their operand.
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/layer_graph.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::planner;

template <class E>
constexpr auto graph_of(E) {
    using terms = typename planner::detail::terms_of<E>::type;
    using language = LayerLanguage<egraph::symbols_of<terms, types<>>, Shape<2, 3>>;
    return layer_graph<egraph::Graph<language, most_graph_nodes>, types<>>(terms{});
}
constexpr auto x = input<0, dim<0>, dim<1>>;

TEST(LayerGraph, AValueThatIsReadTwiceIsOneClass) {
    constexpr auto layer = graph_of(outputs(silu(x) * silu(x), silu(x)));
    static_assert(layer.results == 2 && layer.graph.size() == 3);   // x, silu, product
    EXPECT_EQ(layer.graph.node(layer.graph.find(layer.result[0])).child[0], layer.result[1]);
}
TEST(LayerGraph, APinIsAPropertyOfItsOperand) {
    constexpr auto layer = graph_of(outputs(exp(materialize(silu(x))), silu(x), exp(fuse(x + x))));
    const auto& g = layer.graph;
    EXPECT_EQ(g.data(g.find(layer.result[1])).pin, Pin::materialize) << "of every reader";
    EXPECT_EQ(g.data(g.find(layer.result[0])).pin, Pin::none);
    EXPECT_EQ(g.data(g.find(g.node(layer.result[2]).child[0])).pin, Pin::fuse);
}

}  // namespace
