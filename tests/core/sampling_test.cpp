// SPDX-License-Identifier: Apache-2.0
/// Weights against the C library's exponential, and their edges.
#include <inlay/core/sampling.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace inlay::sampling;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Weight, IsTheExponentialRounded) {
    const auto off = [](double x) {
        const long double right = std::exp(-static_cast<long double>(x)) * 0x1p40L;
        return std::fabs(static_cast<long double>(weight_of(x)) - right);
    };
    std::uint64_t before = weight_of(0.0);
    for (int i = 0; i < 300000; ++i) {
        const double x = i * (31.0 / 300000);
        ASSERT_LT(off(x), 0.505L) << x;
        ASSERT_LE(weight_of(x), before) << x;
        before = weight_of(x);
    }
    // Both sides of a whole power of two, where the fraction begins anew.
    for (int n = 1; n < 41; ++n)
        for (const double beside : {-1e-9, 0.0, 1e-9}) EXPECT_LT(off(n * std::log(2.0) + beside), 0.505L) << n;
}
TEST(Weight, HasItsEdges) {
    EXPECT_EQ(weight_of(0.0), std::uint64_t(1) << 40);
    EXPECT_EQ(weight_of(5e-324), std::uint64_t(1) << 40);
    EXPECT_EQ(weight_of(28.4), 1u);
    for (const double x : {28.43, 29.0, 1e300, infinity, std::nan("")}) EXPECT_EQ(weight_of(x), 0u) << x;
}
TEST(Weight, OfALogitIsThatBesideTheGreatest) {
    EXPECT_EQ(weight_of(1.0f, 3.0f, 0.5), weight_of(4.0));
    EXPECT_EQ(weight_of(-3e38f, 3e38f, 1e-300), 0u);
    EXPECT_EQ(weight_of(3e38f, 3e38f, 1e-300), std::uint64_t(1) << 40);
    EXPECT_EQ(weight_of(2.0f, 2.0f, 0), 0u);
    EXPECT_EQ(weight_of(1.0f, 2.0f, 0), 0u);
}
TEST(Penalty, IsThatOfFp32) {
    for (const float x : {-1e30f, -7.3f, -1e-40f, 0.0f, 1e-40f, 0.7f, 11.1f, 1e30f})
        for (const float by : {0.7f, 1.0f, 1.3f, 3.0f})
            EXPECT_EQ(penalised(x, by), x < 0 ? x * by : x / by) << x << " " << by;
    const float largest = std::numeric_limits<float>::max();
    EXPECT_EQ(penalised(largest, 0.5f), largest);
    EXPECT_EQ(penalised(-largest, 2), -largest);
}

}  // namespace
