// SPDX-License-Identifier: Apache-2.0
/// The problem that a norm's frame hands to a target: rows, channels and groups, by extents alone.
#include "launches.hpp"

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

struct layer : LayerNorm<> {};
struct sum_normed : LayerNorm<Add<Buf<0>, Buf<1>>> {};
struct softmax : Softmax<> {};
struct group : GroupNorm<8> {};

TEST(DescribeNorm, Rows) {
    const NormProblem p = of<layer>(shape(6, 7, 640), shape(640), shape(640), shape(6, 7, 640)).norm;
    EXPECT_EQ(p.items, 42);
    EXPECT_EQ(p.channels, 640);
    EXPECT_EQ(p.groups, 0);
    EXPECT_EQ(p.element, 2);
    EXPECT_TRUE(p.rows.scales);
    EXPECT_EQ(p.rows.not_stored, nullptr);
    EXPECT_EQ(p.rows.operands, 2 * 2 * 640);
}
TEST(DescribeNorm, RowsThatAreComputed) {
    const auto x = shape(6, 640);
    const NormProblem p = of<sum_normed>(x, shape(640), shape(640), x, x).norm;
    EXPECT_STREQ(p.rows.not_stored, "rows are not read and stored as they are, in one type");
    EXPECT_FALSE(of<softmax>(x, x).norm.rows.scales);
}
TEST(DescribeNorm, Groups) {
    const auto x = shape(2, 9, 7, 64);
    const NormProblem p = of<group>(x, shape(64), shape(64), x).norm;
    EXPECT_EQ(p.items, 2);
    EXPECT_EQ(p.pixels, 63);
    EXPECT_EQ(p.channels, 64);
    EXPECT_EQ(p.groups, 8);
}

}  // namespace
