// SPDX-License-Identifier: Apache-2.0
/// Text of explained plans, prices apart, which follow the price list; and that prices and totals agree.
#include <inlay/nn/resnet.hpp>
#include <inlay/nn/transformer.hpp>
#include <inlay/report/planner/explain.hpp>

#include <gtest/gtest.h>
#include <regex>

namespace {

using namespace inlay;

using Block = planner::plan<nn::resnet_wider<true, 1e-5>, planner::on_sm90a<2>,
                            planner::Shape<2, 32, 32, 640, 1280, 640, 640, 50>>;
using Wide = planner::plan<nn::transformer_layers::feed_forward, planner::on_sm90a<2>, planner::Shape<2, 4096, 320>,
                           planner::rules::gated_rules>;
using Text = planner::plan<nn::transformer_layers::cross_attention<40>, planner::on_sm90a<2>,
                           planner::Shape<2, 4096, 320, 77, 768>, planner::rules::joined_products>;
/// On a CPU the product of keys and values writes both as heads.
using TextOfHeads = planner::plan<nn::transformer_layers::cross_attention<40>, planner::on_host<2>,
                                  planner::Shape<2, 4096, 320, 77, 768>, planner::rules::joined_products>;

template <class Plan>
std::string without_prices() {
    std::string s = planner::explain<Plan>();
    s = std::regex_replace(s, std::regex("[0-9.]+ us"), "# us");
    s = std::regex_replace(s, std::regex("[0-9.]+ %"), "# %");
    s = std::regex_replace(s, std::regex("[0-9]+ bytes for [0-9] tensors,"), "#");
    return std::regex_replace(s, std::regex("[0-9]+ candidates, [0-9]+ steps"), "# candidates, # steps");
}

TEST(ExplainPlan, AResNetBlock) {
    EXPECT_EQ(without_prices<Block>(),
              R"(resnet_wider<1, 1e-5, Shortcuts> for 2, 32, 32, 640, 1280, 640, 640, 50 on sm_90a, 2 bytes an element
  norm1: GroupNorm<32, Buf<0>, Silu<Out>, Store<0>, 1e-5, Auto>
      reads input 0 [2, 32, 32, 640], norm1.weight [640], norm1.bias [640]; writes [2, 32, 32, 640]
      each step, # us
  conv1: Conv2D<Filter<3, 3, 1, 1, 1, 1, 1>, Buf<0>, Add<Add<Out, Buf<1>>, Reshape<Gather<Buf<2>, Buf<3>, 0>, 1, 1, 1, -1>>, Store<0>, Auto>
      reads norm1 [2, 32, 32, 640], conv1.bias [1280], input 1 [50, 1280], input 2 [1], conv1.weight [1280, 640, 3, 3]; writes [2, 32, 32, 1280]
      each step, # us
  norm2: GroupNorm<32, Buf<0>, Silu<Out>, Store<0>, 1e-5, Auto>
      reads conv1 [2, 32, 32, 1280], norm2.weight [1280], norm2.bias [1280]; writes [2, 32, 32, 1280]
      each step, # us
  conv_shortcut: Linear<Buf<0>, Add<Out, Buf<1>>, Store<0>, Auto>
      reads input 0 [2, 32, 32, 640], conv_shortcut.bias [1280], conv_shortcut.weight [1280, 640]; writes [2, 32, 32, 1280]
      each step, # us
  conv2: Conv2D<Filter<3, 3, 1, 1, 1, 1, 1>, Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>, Store<0>, Auto>
      reads norm2 [2, 32, 32, 1280], conv2.bias [1280], conv_shortcut [2, 32, 32, 1280], conv2.weight [1280, 1280, 3, 3]; writes [2, 32, 32, 1280]
      each step, # us
each step: 5 launches, # us
total: # us over 50 steps
memory of a step: # the least there is
runner-up: # us over 50 steps, # us (# %) more
  it has, # us:
      # us  conv2: Conv2D<Filter<3, 3, 1, 1, 1, 1, 1>, Buf<0>, Add<Out, Buf<1>>, Store<0>, Auto>
      # us  conv_shortcut: Linear<Buf<0>, Add<Buf<2>, Add<Out, Buf<1>>>, Store<0>, Auto>
  instead of, # us:
      # us  conv_shortcut: Linear<Buf<0>, Add<Out, Buf<1>>, Store<0>, Auto>
      # us  conv2: Conv2D<Filter<3, 3, 1, 1, 1, 1, 1>, Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>, Store<0>, Auto>
rules: none
# candidates, # steps of the search: no cover costs less
)");
}
TEST(ExplainPlan, AFeedForwardLayerWithItsRules) {
    EXPECT_EQ(without_prices<Wide>(), R"(feed_forward for 2, 4096, 320 on sm_90a, 2 bytes an element
  norm3: LayerNorm<Buf<0>, Out, Store<0>, 1e-5, Auto>
      reads input 0 [2, 4096, 320], norm3.weight [320], norm3.bias [320]; writes [2, 4096, 320]
      each step, # us
  ff.net.0.proj: Linear<Buf<0>, Mul<Add<Out, Buf<1>>, Gelu<Add<OutGate, Buf<2>>>>, Store<0>, Auto>
      reads norm3 [2, 4096, 320], part of a vector of ff.net.0.proj.bias [1280], part of a vector of ff.net.0.proj.bias [1280], ff.net.0.proj.weight [2560, 320]; writes [2, 4096, 1280]
      each step, # us
  ff.net.2: Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>, Store<0>, Auto>
      reads ff.net.0.proj [2, 4096, 1280], ff.net.2.bias [320], input 0 [2, 4096, 320], ff.net.2.weight [320, 1280]; writes [2, 4096, 320]
      each step, # us
each step: 3 launches, # us
total: # us over 50 steps
memory of a step: # the least there is
runner-up: # us over 50 steps, # us (# %) more
  it has, # us:
      # us  ff.net.0.proj: Linear<Buf<0>, Out, Store<0>, Auto>
      # us  ff.net.2: Linear<Mul<Add<Buf<0>, Buf<1>>, Gelu<Add<Buf<2>, Buf<3>>>>, Add<Add<Out, Buf<4>>, Buf<5>>, Store<0>, Auto>
  instead of, # us:
      # us  ff.net.0.proj: Linear<Buf<0>, Mul<Add<Out, Buf<1>>, Gelu<Add<OutGate, Buf<2>>>>, Store<0>, Auto>
      # us  ff.net.2: Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>, Store<0>, Auto>
rules: saturated after 2 iterations
  half of a biased product: 2 times
# candidates, # steps of the search: no cover costs less
)");
}
TEST(ExplainPlan, PhasesAndKernelsOfSeveralOutputs) {
    const std::string text = planner::explain<TextOfHeads>();
    EXPECT_NE(text.find("\nonce a prompt: 1 launch, "), text.npos) << text;
    EXPECT_NE(text.find("\neach step: 4 launches, "), text.npos) << text;
    EXPECT_NE(text.find("attn2.to_k (1) [2, 8, 77, 40], attn2.to_k (2) [2, 8, 77, 40]"), text.npos) << text;
    EXPECT_NE(text.find("join rows of attn2.to_k.weight, attn2.to_v.weight [640, 768]"), text.npos) << text;
    EXPECT_NE(text.find("\n  K and V in one product: 1 time\n"), text.npos) << text;
}
struct scaled {
    static constexpr auto graph() {
        using namespace planner;
        return Const<0.25>{} * linear_without_bias<"to_q", 8, 8>(input<0, dim<0>, 8>);
    }
};
TEST(ExplainPlan, NumbersThatAKernelTakes) {
    const std::string text = planner::explain<planner::plan<scaled, planner::on_host<4>, planner::Shape<64>>>();
    EXPECT_NE(text.find("to_q: Linear<Buf<0>, Mul<Param<0>, Out>, Store<0>, Auto>, Param<0> = 0.25\n"), text.npos) << text;
}
template <class Plan>
void check_prices() {
    std::int64_t total = 0;
    const auto lines = planner::detail::listing<Plan, Plan>(Plan::covers.best);
    int launches = 0;
    for (const auto& line : lines) {
        if (line.launched) {
            EXPECT_EQ(line.ns, planner::price(Plan::facts, Plan::kernels[launches], Plan::target::info)) << line.title;
            ++launches;
        }
        total += line.ns * planner::Runs{}.of[line.phase];
    }
    EXPECT_EQ(launches, Plan::launches);
    EXPECT_EQ(total, Plan::covers.best.total);
    const std::string said = "\ntotal: " + planner::detail::us_text(total) + " us over 50 steps\n";
    EXPECT_NE(planner::explain<Plan>().find(said), std::string::npos) << said;
}
TEST(ExplainPlan, PricesAddUpToTheTotal) {
    check_prices<Block>();
    check_prices<Wide>();
    check_prices<Text>();
}

/// The same with a search that ends too early.
struct Hurried : Block {
    static constexpr planner::Covers covers = planner::find_covers(facts, cuts, candidates, prices, {}, 2);
};
TEST(ExplainPlan, ASearchThatEndedSaysSo) {
    const std::string text = planner::detail::limits_text<Hurried>();
    EXPECT_NE(text.find("2 steps of the search, which ended at its limit: no cover costs less than "), text.npos) << text;
    EXPECT_LE(Hurried::covers.lower, Block::covers.best.total);
}

}  // namespace
