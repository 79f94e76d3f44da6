// SPDX-License-Identifier: Apache-2.0
/// Pictures of plans: the green nodes of an e-graph cost what the kernels do, and drawings have a box for each kernel.
#include <inlay/nn/resnet.hpp>
#include <inlay/nn/transformer.hpp>
#include <inlay/report/planner/kernels.hpp>
#include <inlay/report/planner/picture.hpp>
#include <inlay/rewrite/planner/rules/shortcut.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

using Shape = planner::Shape<2, 4096, 320>;
template <class Rules>
using Wide = planner::plan<nn::transformer_layers::feed_forward, planner::on_sm90a<2>, Shape, Rules>;
template <class Rules>
using Self = planner::plan<nn::transformer_layers::self_attention<40>, planner::on_sm90a<2>, Shape, Rules>;

int count(const std::string& text, const std::string& what) {
    int n = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
    return n;
}
template <class Plan>
std::int64_t green(const egraph::Picture& p, int& grey) {
    std::int64_t sum = 0;
    for (const auto& c : p.classes)
        for (const auto& n : c.nodes)
            if (n.share == egraph::Share::in_all) sum += n.cost;
            else ++grey;
    return sum * planner::Runs{}.of[planner::most_phases - 1];
}

TEST(PlanPicture, GreenNodesCostWhatTheKernelsDo) {
    using plan = Wide<planner::rules::gated_rules>;
    const egraph::Picture p = planner::picture<plan>();
    int others = 0;
    EXPECT_EQ(green<plan>(p, others), plan::covers.best.total);
    EXPECT_EQ(others, 3);   // the sum of all columns, and its parts
    EXPECT_EQ(p.root(), plan::facts.root[0]);
    EXPECT_EQ(p.total, plan::covers.best.total);
    using self = Self<planner::rules::joined_products>;
    EXPECT_EQ(green<self>(planner::picture<self>(), others), self::covers.best.total);
}
/// The shortcut's rules make a second place for the biases: its nodes are in the runner-up alone. The joined shortcut
/// is in neither.
TEST(PlanPicture, NodesOfTheRunnerUpAreYellow) {
    using plan = planner::plan<nn::resnet_wider<true, 1e-5>, planner::on_sm90a<2>,
                               planner::Shape<2, 32, 32, 640, 1280, 640, 640, 50>,
                               planner::rules::shortcut_rules<Filter<3, 3>>>;
    const egraph::Picture p = planner::picture<plan>();
    int yellow = 0, joined = 0;
    for (const auto& c : p.classes)
        for (const auto& n : c.nodes) {
            if (n.share == egraph::Share::in_some) {
                ++yellow;
                EXPECT_EQ(n.symbol, "Add");
            }
            joined += n.symbol == "linear" && n.share == egraph::Share::in_none && n.cost > 0;
        }
    EXPECT_GE(yellow, 1);
    EXPECT_EQ(joined, 1);
}
TEST(PlanPicture, KernelsAreBoxes) {
    const std::string after = planner::kernels_dot<Wide<planner::rules::gated_rules>>(),
                      before = planner::written_dot<Wide<types<>>>();
    EXPECT_EQ(count(after, "subgraph cluster_"), 3);
    EXPECT_EQ(count(after, "label=\"3 kernels a step, "), 1) << after;
    // LayerNorm, Linear, GELU, product, Linear, residual: biases are in their products.
    EXPECT_EQ(count(before, "subgraph cluster_"), 6);
    EXPECT_EQ(count(before, "label=\"6 kernels a step, "), 1) << before;
    EXPECT_EQ(count(before, "[label=\"Gelu\"]"), 1);
    EXPECT_EQ(count(after, "[label=\"Gelu\"]"), 1);
}
TEST(PlanPicture, WhatIsWrittenCostsMore) {
    const auto total = [](const std::string& dot) {
        const std::size_t at = dot.find(" kernels a step, ");
        return std::stod(dot.substr(at + 17));
    };
    EXPECT_GT(total(planner::written_dot<Wide<types<>>>()),
              1.2 * total(planner::kernels_dot<Wide<planner::rules::gated_rules>>()));
    EXPECT_GT(total(planner::written_dot<Self<types<>>>()),
              total(planner::kernels_dot<Self<planner::rules::joined_products>>()));
}

}  // namespace
