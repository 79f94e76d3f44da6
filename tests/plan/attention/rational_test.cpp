// SPDX-License-Identifier: Apache-2.0
#include <inlay/plan/attention/rational.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace inlay;
using inlay::detail::Rational;

bool is(const Rational& r, index_t number, index_t over) { return r.number == number && r.over == over; }

TEST(Rational, QuotientsOfNegativeNumbersRoundDownAndUp) {
    for (index_t a = -20; a <= 20; ++a)
        for (index_t b = 1; b <= 7; ++b) {
            const double exact = static_cast<double>(a) / static_cast<double>(b);
            EXPECT_EQ(inlay::detail::floor_quotient(a, b), static_cast<index_t>(std::floor(exact))) << a << '/' << b;
            EXPECT_EQ(inlay::detail::ceil_quotient(a, b), static_cast<index_t>(std::ceil(exact))) << a << '/' << b;
        }
}
TEST(Rational, FloorsOfWhatNoIntegerHolds) {
    constexpr index_t most = index_t(1) << 62;
    constexpr double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(inlay::detail::floor_of(infinite), most);
    EXPECT_EQ(inlay::detail::floor_of(-infinite), -most);
    EXPECT_EQ(inlay::detail::floor_of(std::nan("")), -most);
    for (const double x : {-2.5, -2.0, -0.25, 0.0, 0.75, 3.0}) {
        EXPECT_EQ(inlay::detail::floor_of(x), static_cast<index_t>(std::floor(x))) << x;
        EXPECT_EQ(inlay::detail::ceil_of(x), static_cast<index_t>(std::ceil(x))) << x;
    }
}
TEST(Rational, IsInLeastTerms) {
    EXPECT_TRUE(is(inlay::detail::rational(6, -4), -3, 2));
    EXPECT_TRUE(is(inlay::detail::rational(0.375), 3, 8));
    EXPECT_TRUE(is(inlay::detail::rational(-2.0), -2, 1));
    EXPECT_TRUE(is(inlay::detail::rational(1, 6) + inlay::detail::rational(1, 3), 1, 2));
    EXPECT_TRUE(is(inlay::detail::rational(2, 3) * inlay::detail::rational(9, 4), 3, 2));
    EXPECT_TRUE(is(-inlay::detail::rational(2, 3), -2, 3));
    EXPECT_TRUE(is(inverse(inlay::detail::rational(-2, 3)), -3, 2));
    EXPECT_EQ(inlay::detail::common_factor(-12, 18), 6);
    EXPECT_EQ(inlay::detail::common_multiple(4, 6), 12);
}
TEST(Rational, ThereIsNoneOfLargeTermsAndOfZero) {
    EXPECT_EQ(inlay::detail::rational(1, 0).over, 0);
    EXPECT_EQ(inlay::detail::rational((1 << 24) + 1, 2).over, 0);
    EXPECT_EQ(inlay::detail::rational(1, (1 << 24) + 1).over, 0);
    EXPECT_EQ(inlay::detail::rational(0.1).over, 0);    // no fraction of a power of 2 below 2^24
    EXPECT_EQ(inlay::detail::rational(1e9).over, 0);
    EXPECT_EQ(inverse(inlay::detail::rational(0.0)).over, 0);
}

}  // namespace
