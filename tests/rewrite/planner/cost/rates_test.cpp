// SPDX-License-Identifier: Apache-2.0
#include <inlay/rewrite/planner/cost/rates.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::planner;

TEST(Rates, TargetsThatWereMeasuredHaveTheirOwn) {
    EXPECT_EQ(rates_of(host_target).bytes_us, host_rates.bytes_us);
    EXPECT_EQ(rates_of(host_target).products_us, host_rates.products_us);
    EXPECT_EQ(rates_of(sm90a_target).bytes_us, h200_rates.bytes_us);
    EXPECT_EQ(rates_of(sm90a_target).launch_us, h200_rates.launch_us);
    EXPECT_EQ(rates_of(sm90a_target).products_us, 0);
}
TEST(Rates, OthersFollowFromBandwidthAndMultiprocessors) {
    TargetInfo half = sm80_target;
    half.bandwidth_gbs = sm90a_target.bandwidth_gbs / 2;
    half.units = sm90a_target.units / 4;
    half.rows_us = 1.2;
    const Rates r = rates_of(half);
    EXPECT_DOUBLE_EQ(r.bytes_us, h200_rates.bytes_us / 2);
    EXPECT_DOUBLE_EQ(r.operand_bytes_us, h200_rates.operand_bytes_us / 2);
    EXPECT_DOUBLE_EQ(r.hidden_bytes_us, h200_rates.hidden_bytes_us / 2);
    EXPECT_DOUBLE_EQ(r.specials_us, h200_rates.specials_us / 4);
    EXPECT_EQ(r.apart_passes, h200_rates.apart_passes);
    EXPECT_EQ(r.launch_us, 1.2);
}

}  // namespace
