// SPDX-License-Identifier: Apache-2.0
#include <inlay/core/math.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <math.h>

namespace {

template <class T>
struct MathTest : testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(MathTest, Scalars);

// Code of a user: unqualified calls, with the C library's names in scope as well.
template <class T>
T mish(T x) {
    using namespace inlay::math;
    return x * tanh(log(T(1) + exp(x)));
}

TYPED_TEST(MathTest, UnqualifiedCallsAreNotAmbiguous) {
    using namespace inlay::math;
    const TypeParam x = TypeParam(0.5);
    static_assert(std::is_same_v<decltype(exp2(x)), TypeParam>);
    static_assert(std::is_same_v<decltype(abs(x)), TypeParam>);
    static_assert(std::is_same_v<decltype(max(x, 2)), TypeParam>);
    EXPECT_NEAR(mish(x), 0.5 * std::tanh(std::log1p(std::exp(0.5))), 1e-6);
}

TYPED_TEST(MathTest, CallsTheStandardLibrary) {
    using T = TypeParam;
    namespace m = inlay::math;
    for (const T x : {T(0.1), T(0.7), T(1.5), T(3)}) {
        EXPECT_EQ(m::exp(x), std::exp(x));
        EXPECT_EQ(m::quick_exp(x), std::exp(x));
        EXPECT_EQ(m::exp2(x), std::exp2(x));
        EXPECT_EQ(m::log(x), std::log(x));
        EXPECT_EQ(m::sqrt(x), std::sqrt(x));
        EXPECT_EQ(m::rsqrt(x), T(1) / std::sqrt(x));
        EXPECT_EQ(m::sin(x), std::sin(x));
        EXPECT_EQ(m::cos(x), std::cos(x));
        EXPECT_EQ(m::tanh(x), std::tanh(x));
        EXPECT_EQ(m::coarse_tanh(x), std::tanh(x));
        EXPECT_EQ(m::erf(x), std::erf(x));
        EXPECT_EQ(m::pow(x, T(1.5)), std::pow(x, T(1.5)));
        EXPECT_EQ(m::floor(-x), std::floor(-x));
        EXPECT_EQ(m::ceil(-x), std::ceil(-x));
        EXPECT_EQ(m::abs(-x), x);
    }
}

// With the bits of a float, because its double is the same polynomial.
TYPED_TEST(MathTest, CoarseTailIsThatOfTheNormalDistribution) {
    using T = TypeParam;
    namespace m = inlay::math;
    const auto tail = [](double x) { return x * 0.5 * std::erfc(x / std::sqrt(2.0)); };
    for (int i = 1; i <= 6000; ++i) {
        const double x = i * 1e-3, exact = tail(static_cast<double>(static_cast<T>(x)));
        EXPECT_NEAR(m::coarse_tail(T(x)), exact, exact * std::ldexp(1.0, -14)) << x;
        EXPECT_EQ(m::coarse_tail(T(-x)), m::coarse_tail(T(x)));
    }
    EXPECT_EQ(m::coarse_tail(T(0)), T(0));
    for (const T x : {T(7), T(20), T(-3e38), std::numeric_limits<T>::infinity()}) {
        EXPECT_GE(m::coarse_tail(x), T(0)) << x;
        EXPECT_LE(m::coarse_tail(x), T(1e-8)) << x;
    }
}

TYPED_TEST(MathTest, NanPassesThroughMinAndMax) {
    using T = TypeParam;
    namespace m = inlay::math;
    const T nan = std::numeric_limits<T>::quiet_NaN();
    EXPECT_TRUE(std::isnan(m::min(nan, T(1))));
    EXPECT_TRUE(std::isnan(m::min(T(1), nan)));
    EXPECT_TRUE(std::isnan(m::max(nan, T(1))));
    EXPECT_TRUE(std::isnan(m::max(T(1), nan)));
    EXPECT_EQ(m::min(T(2), T(1)), T(1));
    EXPECT_EQ(m::max(T(2), T(1)), T(2));
}

TYPED_TEST(MathTest, ComparisonsAndSelect) {
    using T = TypeParam;
    namespace m = inlay::math;
    const T nan = std::numeric_limits<T>::quiet_NaN();
    EXPECT_EQ(m::lt(T(1), T(2)), T(1));
    EXPECT_EQ(m::le(T(2), T(2)), T(1));
    EXPECT_EQ(m::gt(T(1), T(2)), T(0));
    EXPECT_EQ(m::ge(T(2), T(2)), T(1));
    EXPECT_EQ(m::eq(T(2), T(2)), T(1));
    EXPECT_EQ(m::ne(T(2), T(2)), T(0));
    EXPECT_EQ(m::eq(nan, nan), T(0));
    EXPECT_EQ(m::ne(nan, nan), T(1));
    EXPECT_EQ(m::select(T(0), T(3), T(4)), T(4));
    EXPECT_EQ(m::select(T(-0.5), T(3), T(4)), T(3));
    EXPECT_EQ(m::select(nan, T(3), T(4)), T(3));
}

}  // namespace
