// SPDX-License-Identifier: Apache-2.0
/// Costs by hand: a launch, and the slower of the matrix unit and memory at the rates of a chip made up for it.
#include <inlay/plan/cost.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

constexpr TargetInfo chip(double gbs, double rows_us = 0) {
    TargetInfo t{};
    t.bandwidth_gbs = gbs;
    t.rows_us = rows_us;
    return t;
}

TEST(Cost, IsALaunchAndTheSlowerOfTwo) {
    // 4 MB at 2000 GB/s take 2 µs, 1 GFLOP at 100 TFLOP/s takes 10.
    EXPECT_DOUBLE_EQ(roofline_us(chip(2000, 3), 0, 0, 4e6), 3 + 2);
    EXPECT_DOUBLE_EQ(roofline_us(chip(2000, 3), 1e9, 100, 4e6), 3 + 10);
    EXPECT_DOUBLE_EQ(roofline_us(chip(2000, 3), 1e9, 1000, 4e6), 3 + 2);
}
TEST(Cost, OfALaunchIsTheTargetsWhereItWasMeasured) {
    EXPECT_DOUBLE_EQ(launch_us(chip(2000, 1.25)), 1.25);
    EXPECT_DOUBLE_EQ(launch_us(chip(2000)), 2);
}
TEST(Cost, IsZeroWhereNoRateIsKnown) {
    EXPECT_EQ(roofline_us(chip(0), 1e9, 100, 4e6), 0);
}

}  // namespace
