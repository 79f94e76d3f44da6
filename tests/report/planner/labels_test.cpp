// SPDX-License-Identifier: Apache-2.0
/// Names of symbols and values in reports.
#include <inlay/report/planner/labels.hpp>
#include <inlay/rewrite/planner/layer.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::planner;

/// The parts of a plan that a label reads: node n has symbol 9 − n.
struct Labelled {
    using symbols =
        types<core::Linear, core::GroupNorm<8, 1e-5>, Heads<40>, PinSymbol<Pin::fuse>,
              InputSymbol<3, Phase::prompt, Dim{7}>, WeightSymbol<letters<"to_q">, Field::weight, Layout::matrix>,
              WeightSymbol<letters<"to_q">, Field::bias, Layout::plain>,
              WeightSymbol<letters<"gamma">, Field::whole, Layout::plain>, Expression<Add<Buf<0>, Silu<Buf<1>>>>,
              Expression<Const<0.5>>>;
    static constexpr int symbol_of(int node) { return 9 - node; }
};

TEST(PlanLabels, OfSymbols) {
    const char* const expected[] = {"Const<0.5>", "Add", "gamma", "to_q.bias", "to_q.weight", "input 3", "fuse",
                                    "heads", "group_norm", "linear"};
    for (int node = 0; node < 10; ++node) EXPECT_EQ(label<Labelled>(node), expected[node]);
}
TEST(PlanLabels, OfExtents) {
    EXPECT_EQ(planner::detail::extents_text(ValueFacts{.rank = 3, .extents = {2, 77, 768}}), "[2, 77, 768]");
    EXPECT_EQ(planner::detail::extents_text(ValueFacts{.rank = 1, .extents = {5}}), "[5]");
    EXPECT_EQ(planner::detail::extents_text(ValueFacts{}), "[]");
}

}  // namespace
