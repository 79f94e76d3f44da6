// SPDX-License-Identifier: Apache-2.0
#include <inlay/core/half.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace {

using inlay::bf16;
using inlay::fp16;

// IEEE 754: value = (-1)^s 2^(e-bias) 1.m, or 2^(1-bias) 0.m for e = 0.
double value_of(unsigned bits, int mantissa, int exponent) {
    const int bias = (1 << (exponent - 1)) - 1;
    const int e = static_cast<int>(bits >> mantissa) & ((1 << exponent) - 1);
    const double m = std::ldexp(static_cast<double>(bits & ((1u << mantissa) - 1)), -mantissa);
    const double sign = bits & (1u << (mantissa + exponent)) ? -1. : 1.;
    if (e == (1 << exponent) - 1) return m != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    return sign * (e == 0 ? std::ldexp(m, 1 - bias) : std::ldexp(1 + m, e - bias));
}

template <class H>
void round_trip(int mantissa, int exponent) {
    for (unsigned b = 0; b < 65536; ++b) {
        const H h = H::from_bits(static_cast<std::uint16_t>(b));
        const float f = static_cast<float>(h);
        const double exact = value_of(b, mantissa, exponent);
        if (std::isnan(exact)) {
            EXPECT_TRUE(std::isnan(f)) << b;
            EXPECT_TRUE(std::isnan(static_cast<float>(H(f)))) << b;
            EXPECT_EQ(H(f).bits & 0x8000u, b & 0x8000u) << b;
            continue;
        }
        ASSERT_EQ(static_cast<double>(f), exact) << b;
        ASSERT_EQ(std::signbit(f), std::signbit(exact)) << b;
        ASSERT_EQ(H(f).bits, b);
    }
}
TEST(Half, AllValuesRoundTrip) { round_trip<fp16>(10, 5); }
TEST(Bf16, AllValuesRoundTrip) { round_trip<bf16>(7, 8); }

/// Between two neighbours: below the middle rounds down, above it up, the middle to even.
template <class H>
void nearest_even(unsigned infinity) {
    for (unsigned b = 0; b + 1 < infinity; ++b) {
        const double lo = static_cast<float>(H::from_bits(static_cast<std::uint16_t>(b)));
        const double hi = static_cast<float>(H::from_bits(static_cast<std::uint16_t>(b + 1)));
        const float middle = static_cast<float>((lo + hi) / 2);
        ASSERT_EQ(static_cast<double>(middle), (lo + hi) / 2);
        ASSERT_EQ(H(middle).bits, b % 2 ? b + 1 : b);
        ASSERT_EQ(H(-middle).bits, 0x8000u | (b % 2 ? b + 1 : b));
        ASSERT_EQ(H(std::nextafter(middle, 0.f)).bits, b);
        ASSERT_EQ(H(std::nextafter(middle, INFINITY)).bits, b + 1);
    }
}
TEST(Half, RoundsToNearestEven) { nearest_even<fp16>(0x7c00); }
TEST(Bf16, RoundsToNearestEven) { nearest_even<bf16>(0x7f80); }

TEST(Half, OverflowsToInfinity) {
    EXPECT_EQ(fp16(65504.f).bits, 0x7bff);
    EXPECT_EQ(fp16(65519.99f).bits, 0x7bff);
    EXPECT_EQ(fp16(65520.f).bits, 0x7c00);
    EXPECT_EQ(fp16(-1e30f).bits, 0xfc00);
    EXPECT_EQ(fp16(std::numeric_limits<float>::infinity()).bits, 0x7c00);
    EXPECT_EQ(bf16(std::numeric_limits<float>::max()).bits, 0x7f80);
}

TEST(Half, IsConstexpr) {
    static_assert(fp16(1.f).bits == 0x3c00 && static_cast<float>(fp16::from_bits(0xc000)) == -2.f);
    static_assert(bf16(1.f).bits == 0x3f80 && static_cast<float>(bf16::from_bits(0xc000)) == -2.f);
}

TEST(Half, AgreesWithTheCompilersHalf) {
#if defined(__FLT16_MANT_DIG__)
    for (std::uint64_t b = 0; b < (1ull << 32); b += 257) {
        const float f = std::bit_cast<float>(static_cast<std::uint32_t>(b));
        if (std::isnan(f)) continue;
        const _Float16 h = static_cast<_Float16>(f);
        std::uint16_t bits;
        std::memcpy(&bits, &h, 2);
        ASSERT_EQ(fp16(f).bits, bits) << f;
    }
#else
    GTEST_SKIP() << "this compiler has no _Float16";
#endif
}

}  // namespace
