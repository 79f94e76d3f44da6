// SPDX-License-Identifier: Apache-2.0
#include <inlay/core/vec.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using inlay::fvec;
using inlay::host_lanes;
namespace m = inlay::math;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// The greatest error of f in units in the last place of g's double result, over floats spread evenly over all bit
/// patterns. Infinities, zeros and NaN must agree outright, except where f's last place is at the edge of the range.
template <class F, class G>
double worst_ulp(F f, G g) {
    constexpr std::uint64_t step = 4801;  // prime
    double worst = 0;
    for (std::uint64_t b = 0; b < (1ull << 32); b += step * host_lanes) {
        float x[host_lanes], y[host_lanes];
        for (int i = 0; i < host_lanes; ++i) x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(b + i * step));
        f(fvec::load(x)).store(y);
        for (int i = 0; i < host_lanes; ++i) {
            const double exact = g(static_cast<double>(x[i]));
            const float rounded = static_cast<float>(exact);
            if (std::isnan(rounded)) {
                EXPECT_TRUE(std::isnan(y[i])) << x[i];
            } else if (std::isinf(rounded)) {
                EXPECT_TRUE(y[i] == rounded || std::fabs(y[i]) >= 3.4028e38f) << x[i] << ' ' << y[i];
            } else {
                int e;
                std::frexp(rounded, &e);
                const double ulp = std::ldexp(1., std::max(e - 24, -149));
                const double error = std::fabs(y[i] - exact) / ulp;
                EXPECT_EQ(std::isnan(error), false) << x[i];
                worst = std::max(worst, error);
            }
        }
    }
    return worst;
}

TEST(VecMath, ExpStaysWithinItsStatedError) {
    EXPECT_LE(worst_ulp([](fvec x) { return m::exp(x); }, [](double x) { return std::exp(x); }), 1.0);
    EXPECT_LE(worst_ulp([](fvec x) { return m::exp2(x); }, [](double x) { return std::exp2(x); }), 1.0);
}
TEST(VecMath, LogStaysWithinItsStatedError) {
    EXPECT_LE(worst_ulp([](fvec x) { return m::log(x); }, [](double x) { return std::log(x); }), 1.0);
}
TEST(VecMath, TanhStaysWithinItsStatedError) {
    EXPECT_LE(worst_ulp([](fvec x) { return m::tanh(x); }, [](double x) { return std::tanh(x); }), 1.5);
}
TEST(VecMath, ErfStaysWithinItsStatedError) {
    EXPECT_LE(worst_ulp([](fvec x) { return m::erf(x); }, [](double x) { return std::erf(x); }), 1.5);
}
TEST(VecMath, FloorAndCeilAreExact) {
    EXPECT_EQ(worst_ulp([](fvec x) { return m::floor(x); }, [](double x) { return std::floor(x); }), 0);
    EXPECT_EQ(worst_ulp([](fvec x) { return m::ceil(x); }, [](double x) { return std::ceil(x); }), 0);
    EXPECT_TRUE(std::signbit(m::floor(fvec(-0.f))[0]));
    EXPECT_TRUE(std::signbit(m::ceil(fvec(-0.5f))[0]));
}
TEST(VecMath, RootsAreThoseOfTheStandardLibrary) {
    EXPECT_LE(worst_ulp([](fvec x) { return m::sqrt(x); }, [](double x) { return std::sqrt(x); }), 0.5 + 1e-6);
    EXPECT_LE(worst_ulp([](fvec x) { return m::rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); }), 1.5);
}

TEST(VecMath, EdgesOfTheRange) {
    EXPECT_EQ(m::exp(fvec(inf))[0], inf);
    EXPECT_EQ(m::exp(fvec(-inf))[0], 0.f);
    EXPECT_EQ(m::exp(fvec(88.73f))[0], inf);
    EXPECT_GT(m::exp(fvec(-103.f))[0], 0.f);  // a denormal
    EXPECT_EQ(m::exp(fvec(0.f))[0], 1.f);
    EXPECT_EQ(m::exp2(fvec(127.f))[0], 0x1p127f);
    EXPECT_EQ(m::exp2(fvec(128.f))[0], inf);
    EXPECT_EQ(m::exp2(fvec(-149.f))[0], 0x1p-149f);
    EXPECT_EQ(m::log(fvec(0.f))[0], -inf);
    EXPECT_EQ(m::log(fvec(-0.f))[0], -inf);
    EXPECT_EQ(m::log(fvec(inf))[0], inf);
    EXPECT_EQ(m::log(fvec(1.f))[0], 0.f);
    EXPECT_TRUE(std::isnan(m::log(fvec(-1.f))[0]));
    EXPECT_EQ(m::tanh(fvec(inf))[0], 1.f);
    EXPECT_EQ(m::tanh(fvec(-inf))[0], -1.f);
    EXPECT_EQ(m::erf(fvec(inf))[0], 1.f);
    EXPECT_EQ(m::erf(fvec(-inf))[0], -1.f);
    EXPECT_TRUE(std::signbit(m::tanh(fvec(-0.f))[0]));
    EXPECT_TRUE(std::signbit(m::erf(fvec(-0.f))[0]));
}

TEST(VecMath, NanPassesThroughEverything) {
    const fvec x = nan;
    for (const fvec y : {m::exp(x), m::exp2(x), m::log(x), m::sqrt(x), m::rsqrt(x), m::sin(x), m::cos(x), m::tanh(x),
                         m::erf(x), m::pow(x, 2), m::floor(x), m::ceil(x), m::abs(x), m::min(x, 1), m::min(1, x),
                         m::max(x, 1), m::max(1, x), x + 1, 1 - x, x * 0, 1 / x, -x})
        EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_EQ(m::ne(x, x)[0], 1.f);
    EXPECT_EQ(m::eq(x, x)[0], 0.f);
    EXPECT_EQ(m::select(x, 3.f, 4.f)[0], 3.f);
}

TEST(VecMath, DoublesUseTheStandardLibrary) {
    const inlay::Vec<double, 2> x = 0.3;
    EXPECT_EQ(m::exp(x)[1], std::exp(0.3));
    EXPECT_EQ(m::tanh(x)[1], std::tanh(0.3));
    EXPECT_EQ(m::floor(-x)[1], -1.);
    EXPECT_EQ(m::pow(x, 2.)[1], std::pow(0.3, 2.));
}

}  // namespace
