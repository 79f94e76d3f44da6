// SPDX-License-Identifier: Apache-2.0
/// Rules over whole layers: those applied are those expected, and every node of a class has one value.
#include "../layers.hpp"
#include "case.hpp"

#include <map>

namespace {

using namespace inlay_test;
using layers::Guided;
using layers::ResNet;
using layers::Transformer;

using Count = std::map<std::string, int>;
template <class... R, int N>
void add_counts(Count& counts, types<R...>, const egraph::Saturation<N>& s) {
    EXPECT_TRUE(s.saturated);
    int i = 0;
    ((counts[R::name] += s.applied[i++]), ...);
}
/// Applications of each rule to a layer, over all three stages.
template <class P>
Count counted(int nodes) {
    Count counts;
    auto g = P::written();
    add_counts(counts, typename P::halves{}, egraph::saturate<typename P::halves>(g));
    add_counts(counts, typename P::joined{}, egraph::saturate<typename P::joined>(g));
    add_counts(counts, typename P::folded{}, egraph::saturate<typename P::folded>(g));
    EXPECT_EQ(g.conflict().a, egraph::none);
    EXPECT_EQ(g.live_nodes(), nodes);
    const ClassErrors errors = errors_of_classes(g, Leaves{P::lengths});
    EXPECT_EQ(errors.nodes, g.live_nodes());
    EXPECT_LE(errors.worst, 1e-11) << errors.where;
    std::erase_if(counts, [](const auto& c) { return c.second == 0; });
    return counts;
}

TEST(Rules, OfATransformer) {
    const Count want = {{"Q, K and V in one product", 1},
                        {"K and V in one product", 1},
                        {"part of a joined product", 5},
                        {"half of a biased product", 2},
                        {"LayerNorm in the next product", 3},
                        {"scale of the score in Q", 2},
                        {"scale of Q before its heads", 2},
                        {"scale of Q in a column of the joined product", 1}};
    EXPECT_EQ(counted<Transformer>(132), want);
}
TEST(Rules, OfAResNetBlock) {
    const Count want = {{"convolution of one tap is a product", 1},
                        {"biases of a convolution and its shortcut", 1},
                        {"shortcut in columns of the convolution", 1},
                        {"GroupNorm of published statistics", 1}};     // norm2: norm1 is of the input
    EXPECT_EQ(counted<ResNet>(44), want);
}
TEST(Rules, OfGuidedHalves) {
    const Count want = {{"one half of one operand", 6},
                        {"one half of two operands", 1},
                        {"one half of three operands", 1},
                        {"one half beside what serves both", 8},
                        {"one half beside two that serve both", 2},
                        {"Q, K and V in one product", 1},
                        {"K and V in one product", 1},
                        {"part of a joined product", 5},
                        {"LayerNorm in the next product", 2},
                        {"scale of the score in Q", 2},
                        {"scale of Q before its heads", 2},
                        {"scale of Q in a column of the joined product", 1}};
    EXPECT_EQ(counted<Guided>(138), want);
}

}  // namespace
