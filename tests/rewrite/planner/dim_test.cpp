// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <inlay/rewrite/planner/dim.hpp>

namespace {

using namespace inlay_test;
using namespace inlay::planner;

constexpr Lengths lengths{3, {6, 40, 7}};

TEST(Dim, MultiplesOfAnAxis) {
    EXPECT_EQ(length_of(dim<1>, lengths), 40);
    EXPECT_EQ(length_of(4 * dim<1>, lengths), 160);
    EXPECT_EQ(length_of(3 * dim<1> / 8, lengths), 15);
    EXPECT_EQ(length_of(dim<1> / 8 + 2 * dim<1>, lengths), 85);
    EXPECT_EQ(length_of(dim<1> / 2 + dim<1> / 5, lengths), 28);
    EXPECT_EQ(length_of(as_dim(77) + as_dim(3), lengths), 80);
    EXPECT_EQ(length_of(5 * as_dim(77), {}), 385);
}
TEST(Dim, OneExtentIsOneArgument) {
    EXPECT_TRUE((as_dim(dim<2>) == dim<2>));
    EXPECT_TRUE((2 * (3 * dim<0>) == 6 * dim<0>));
    EXPECT_FALSE((dim<0> == dim<1>));
    EXPECT_FALSE((dim<0> == as_dim(1)));
}
TEST(Dim, ErrorsAreOneSentence) {
    EXPECT_EQ(error_of([] { length_of(dim<3>, lengths); }), "inlay: a layer names more axes than its shape has");
    EXPECT_EQ(error_of([] { length_of(dim<2> / 2, lengths); }),
              "inlay: an extent of a layer is no whole number of elements");
    EXPECT_EQ(error_of([] { static_cast<void>(dim<0> + dim<1>); }),
              "inlay: extents of two axes have no sum that a plan can hold");
    EXPECT_EQ(error_of([] { static_cast<void>(dim<0> / 65536); }),
              "inlay: an extent of a layer is at most 2^40 elements, or a multiple of an axis over at most 65535");
    EXPECT_EQ(error_of([] { static_cast<void>(as_dim(index_t(1) << 40)); }),
              "inlay: an extent of a layer is at most 2^40 elements, or a multiple of an axis over at most 65535");
    EXPECT_EQ(error_of([] { static_cast<void>(-1 * dim<0>); }),
              "inlay: an extent of a layer is at most 2^40 elements, or a multiple of an axis over at most 65535");
}
// Factors and axes fill their bits without touching others.
TEST(Dim, TheLargestPartsStayApart) {
    const Dim most = planner::detail::dim_of(254, (index_t(1) << 40) - 1, 65535);
    const auto p = planner::detail::parts_of(most);
    EXPECT_EQ(p.axis, 254);
    EXPECT_EQ(p.factor, (index_t(1) << 40) - 1);
    EXPECT_EQ(p.divisor, 65535);
}

}  // namespace
