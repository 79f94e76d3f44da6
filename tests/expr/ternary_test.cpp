// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <array>
#include <limits>

namespace {
using namespace inlay_test;

const float nan = std::numeric_limits<float>::quiet_NaN();

TEST(Ternary, WhereChooses) {
    const Data<float, 1> c({{4}}, {0, 1, -2, 0.5}), x({{4}}, {1, 2, 3, 4}), y({{4}}, {10, 20, 30, 40});
    EXPECT_EQ((values<Where<Buf<0>, Buf<1>, Buf<2>>>(slots(c, x, y))), (std::vector<float>{10, 2, 3, 4}));
}

TEST(Ternary, WhereDropsTheOtherBranchsNan) {
    Data<float, 1> c({{2}}, {0, 1}), x({{2}}, {1, 2});
    x.memory[0] = nan;
    EXPECT_EQ((values<Where<Buf<0>, Buf<1>, Const<7.0>>>(slots(c, x))), (std::vector<float>{7, 2}));
}

TEST(Ternary, LerpWithARunTimeWeight) {
    const auto x = ramp(0, 1, 5), y = ramp(10, 3, 5);
    const auto v = values<Lerp<Buf<0>, Buf<1>, Param<0>>>(slots_and<1>({Scalar(0.25)}, x, y));
    for (std::size_t i = 0; i < 5; ++i) EXPECT_FLOAT_EQ(v[i], x.memory[i] + 0.25f * (y.memory[i] - x.memory[i]));
}

TEST(Ternary, ClampAsPyTorch) {
    Data<float, 1> x({{5}}, {-3, 0.5, 3, 0, 1});
    x.memory[3] = nan;
    const auto v = values<Clamp<Buf<0>, Const<-1.0>, Const<1.0>>>(slots(x));
    EXPECT_EQ(v[0], -1);
    EXPECT_EQ(v[1], 0.5);
    EXPECT_EQ(v[2], 1);
    EXPECT_TRUE(std::isnan(v[3]));
    // The upper bound wins where the bounds are crossed.
    EXPECT_EQ((values<Clamp<Const<0.0>, Const<2.0>, Const<1.0>>>(slots()))[0], 1);
    for (float f : values<Clamp<Buf<0>, Param<0>, Const<1.0>>>(slots_and<1>({Scalar(double(nan))}, x)))
        EXPECT_TRUE(std::isnan(f));
}

TEST(Ternary, OperandsBroadcastTogether) {
    const auto mask = ramp(0, 1, 2, 1);
    const auto x = ramp(0, 1, 3);
    const auto y = ramp(5, 0);
    EXPECT_EQ((values<Where<Buf<0>, Buf<1>, Buf<2>>>(slots(mask, x, y))), (std::vector<float>{5, 5, 5, 0, 1, 2}));
}

}  // namespace
