// SPDX-License-Identifier: Apache-2.0
/// The problem that a reduction's or an elementwise frame hands to a target, by extents alone.
#include "launches.hpp"

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

template <int... Axis>
struct sum : Reduce<reduction::Sum, Axes<Axis...>> {};
struct added : Elementwise<Add<Buf<0>, Buf<1>>> {};

TEST(DescribeReduce, Rows) {
    const KernelReport l = of<sum<-1>>(shape(6, 7, 1), shape(6, 7, 640));
    EXPECT_TRUE(l.reduce.rows);
    EXPECT_EQ(l.reduce.results, 42);
    EXPECT_EQ(l.reduce.length, 640);
    EXPECT_EQ(l.reduce.elements(), 640);
    EXPECT_EQ(l.elementwise.rows, 0);
}
TEST(DescribeReduce, Columns) {
    const KernelReport l = of<sum<0>>(shape(1, 640), shape(42, 640));
    EXPECT_FALSE(l.reduce.rows);
    EXPECT_EQ(l.reduce.results, 640);
    EXPECT_EQ(l.reduce.width, 640);
    EXPECT_EQ(l.reduce.elements(), 42);
}
TEST(DescribeReduce, ElementwiseWork) {
    const KernelReport l = of<added>(shape(6, 640), shape(6, 640), shape(640));
    EXPECT_EQ(l.elementwise.rows * l.elementwise.width, 6 * 640);
    EXPECT_EQ(l.elementwise.bytes, 2.0 * (2 * 6 * 640 + 640));
    EXPECT_EQ(l.reduce.results, 0);
}

}  // namespace
