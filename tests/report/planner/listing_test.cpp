// SPDX-License-Identifier: Apache-2.0
/// The lines of a small layer's cover and of its runner-up: kernels, arrangements that are none, sources of tensors.
#include <inlay/report/planner/listing.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

struct small {
    static constexpr auto graph() {
        using namespace planner;
        constexpr auto x = input<0, dim<0>, 8, 8, 16>;
        const auto q = heads<8>(Const<0.25>{} * linear_without_bias<"q", 16, 16>(tokens(x)));
        return merge_heads(attention<8>(q, q, q)) +
               linear<"p", 16, 16>(input_from<1, Phase::prompt, dim<0>, 64, 16>);
    }
};
using plan = planner::plan<small, planner::on_host<4>, planner::Shape<2>>;
using planner::detail::Listed;
using Lines = std::vector<Listed>;

std::string text(const Lines& lines) {
    std::string out;
    for (const Listed& l : lines)
        out += l.title + (l.tensors.empty() ? "" : "\n    " + l.tensors) + "\n    " +
               planner::detail::phase_text(l.phase) + (l.launched ? "\n" : ", not launched\n");
    return out;
}
const std::string attention_and_after = R"(; writes [2, 64, 16]
    each step
p: Linear<Buf<0>, Add<Out, Buf<1>>, Store<0>, Auto>
    reads input 1 [2, 64, 16], p.bias [16], p.weight [16, 16]; writes [2, 64, 16]
    once a prompt
elementwise: Elementwise<Add<Buf<0>, Buf<1>>, Store<0>, Auto>
    reads attention [2, 64, 16], p [2, 64, 16]; writes [2, 64, 16]
    each step
)";

TEST(PlanListing, KernelsAndArrangements) {
    EXPECT_EQ(text(planner::detail::listing<plan, plan>(plan::covers.best)),
              R"(no kernel: tokens of input 0 [2, 64, 16]
    each step, not launched
q: Linear<Buf<0>, Mul<Param<0>, Out>, SplitLast<Permuted<Store<0>, 0, 2, 1, 3>>, Auto>, Param<0> = 0.25
    reads tokens of input 0 [2, 64, 16], q.weight [16, 16]; writes [2, 2, 64, 8]
    each step
attention: Attention<8, Buf<0>, Buf<0>, Buf<0>, Out, Permuted<Store<0>, 0, 2, 1, 3>>
    reads q [2, 2, 64, 8])" + attention_and_after);
}
TEST(PlanListing, OfTheRunnerUp) {
    using second = planner::runner_up_of<plan>;
    EXPECT_EQ(text(planner::detail::listing<second, plan>(plan::covers.runner_up)),
              R"(no kernel: tokens of input 0 [2, 64, 16]
    each step, not launched
q: Linear<Buf<0>, Mul<Param<0>, Out>, Store<0>, Auto>, Param<0> = 0.25
    reads tokens of input 0 [2, 64, 16], q.weight [16, 16]; writes [2, 64, 16]
    each step
no kernel: heads of q [2, 2, 64, 8]
    each step, not launched
attention: Attention<8, Buf<0>, Buf<0>, Buf<0>, Out, Permuted<Store<0>, 0, 2, 1, 3>>
    reads heads of q [2, 2, 64, 8])" + attention_and_after);
    EXPECT_EQ(second::launches, 4);
}
TEST(PlanListing, PricesAddUpToTheTotals) {
    const auto total = [](const Lines& lines) {
        std::int64_t ns = 0;
        for (const Listed& l : lines) ns += l.ns * (l.phase == 3 ? 50 : 1);
        return ns;
    };
    EXPECT_EQ(total(planner::detail::listing<plan, plan>(plan::covers.best)), plan::covers.best.total);
    EXPECT_EQ(total(planner::detail::listing<planner::runner_up_of<plan>, plan>(plan::covers.runner_up)),
              plan::covers.runner_up.total);
}
TEST(PlanListing, Numbers) {
    EXPECT_EQ(planner::detail::us_text(4320), "4.32");
    EXPECT_EQ(planner::detail::us_text(0), "0.00");
    EXPECT_EQ(planner::detail::us_text(1'234'567), "1234.57");
    EXPECT_EQ(planner::detail::number_text(0.22810854), "0.22811");
}

}  // namespace
