// SPDX-License-Identifier: Apache-2.0
#include <inlay/core/fp8.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace {

using inlay::fp8;

// OCP OFP8, E4M3: (-1)^s 2^(e-7) 1.m, or 2^-6 0.m for e = 0; all ones but the sign are NaN.
double value_of(unsigned bits) {
    const int e = static_cast<int>(bits >> 3) & 15;
    const double m = static_cast<double>(bits & 7u) / 8, sign = bits & 0x80u ? -1. : 1.;
    if ((bits & 0x7fu) == 0x7fu) return std::nan("");
    return sign * (e == 0 ? std::ldexp(m, -6) : std::ldexp(1 + m, e - 7));
}
fp8 of_bits(unsigned b) { return fp8::from_bits(static_cast<std::uint8_t>(b)); }

TEST(Fp8, AllValuesRoundTrip) {
    for (unsigned b = 0; b < 256; ++b) {
        const float f = static_cast<float>(of_bits(b));
        const double exact = value_of(b);
        if (std::isnan(exact)) {
            EXPECT_TRUE(std::isnan(f)) << b;
            EXPECT_EQ(fp8(f).bits, 0x7fu) << b;
            continue;
        }
        EXPECT_EQ(static_cast<double>(f), exact) << b;
        EXPECT_EQ(std::signbit(f), std::signbit(exact)) << b;
        EXPECT_EQ(fp8(f).bits, b);
    }
}
// Between two neighbours: below the middle rounds down, above it up, the middle to even.
TEST(Fp8, RoundsToNearestEven) {
    for (unsigned b = 0; b < 0x7e; ++b) {
        const double low = value_of(b), high = value_of(b + 1);
        const auto middle = static_cast<float>((low + high) / 2);
        ASSERT_EQ(static_cast<double>(middle), (low + high) / 2);
        EXPECT_EQ(fp8(middle).bits, b % 2 ? b + 1 : b);
        EXPECT_EQ(fp8(-middle).bits, 0x80u | (b % 2 ? b + 1 : b));
        EXPECT_EQ(fp8(std::nextafter(middle, 0.f)).bits, b);
        EXPECT_EQ(fp8(std::nextafter(middle, INFINITY)).bits, b + 1);
    }
}
/// The nearest number, to even between two, found among all.
unsigned nearest(float f) {
    unsigned best = 0;
    for (unsigned b = 1; b < 0x7f; ++b) {
        const double x = std::fabs(static_cast<double>(f)), closer = std::fabs(x - value_of(b)),
                     before = std::fabs(x - value_of(best));
        if (closer < before || (closer == before && b % 2 == 0)) best = b;
    }
    return best | (std::signbit(f) ? 0x80u : 0u);
}
TEST(Fp8, FloatsOfAllExponents) {
    for (std::uint64_t b = 0; b < (1ull << 32); b += 65521 * 17) {
        const float f = std::bit_cast<float>(static_cast<std::uint32_t>(b));
        if (std::isnan(f)) continue;
        EXPECT_EQ(fp8(f).bits, nearest(f)) << f;
    }
}
TEST(Fp8, Saturates) {
    EXPECT_EQ(fp8(448.f).bits, 0x7e);
    EXPECT_EQ(fp8(464.f).bits, 0x7e);
    EXPECT_EQ(fp8(-480.f).bits, 0xfe);
    EXPECT_EQ(fp8(std::numeric_limits<float>::max()).bits, 0x7e);
    EXPECT_EQ(fp8(std::numeric_limits<float>::infinity()).bits, 0x7e);
    EXPECT_EQ(fp8(-std::numeric_limits<float>::infinity()).bits, 0xfe);
    EXPECT_EQ(fp8(std::numeric_limits<float>::denorm_min()).bits, 0);
    EXPECT_EQ(fp8(-0.f).bits, 0x80);
}
TEST(Fp8, IsConstexpr) {
    static_assert(fp8(1.f).bits == 0x38 && static_cast<float>(fp8::from_bits(0xc0)) == -2.f);
    static_assert(fp8(0.002f).bits == 1 && sizeof(fp8) == 1);
}

}  // namespace
