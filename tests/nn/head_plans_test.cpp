// SPDX-License-Identifier: Apache-2.0
#include "planned/layer.hpp"

#include <inlay/nn/head_plans.hpp>

namespace {

using namespace inlay_test::planned;

/// Heads of D, side by side again: the plan of one width.
template <int D>
struct of_heads {
    static constexpr auto graph() { return silu(p::heads<D>(p::input<0, p::dim<0>, p::dim<1>, p::dim<2>>)); }
};
template <int D>
struct plan_of : p::plan<of_heads<D>, p::on_host<4>, p::Shape<2, 16, 64>> {};
using Plans = nn::HeadPlans<float, plan_of, 2, 4>;

struct Loaded {
    Host host;
    Numbers source;
    std::vector<float> memory = std::vector<float>(1 << 12);
    Arena arena{memory.data(), memory.size() * sizeof(float)};
    nn::Loader<float, Numbers, Host> load{&source, host, arena};
};

TEST(HeadPlans, TheWidthChoosesThePlan) {
    Loaded l;
    std::vector<float> x(2 * 3 * 8);
    Program<Host> program;
    for (const int width : {2, 4}) {
        const Plans plans(l.load, width, {});
        const auto y = plans.build(nn::Build<float, Host>{&program, &l.arena, ""}, tensor(x.data(), 2, 3, 8));
        EXPECT_EQ(y->extents, (Extents<4>{{2, 8 / width, 3, width}}));
    }
}
TEST(HeadPlans, AWidthWithoutAPlanIsOneSentence) {
    Loaded l;
    EXPECT_EQ(error_of([&] { Plans(l.load, 3, {}); }), "inlay: a head dimension of 3 is not among 2, 4");
}

}  // namespace
