// SPDX-License-Identifier: Apache-2.0
/// All 256 values of both types against the definition: (−1)^sign · 2^(exponent − bias) · 1.mantissa, 0.mantissa at the
/// least exponent. PyTorch's float8_e4m3fn and float8_e5m2 and those of the package ml_dtypes 0.6 are the same.
#include <inlay/io/weights/float8.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using inlay::io::Float8E4M3;
using inlay::io::Float8E5M2;

float defined(int bits, int mantissa_bits, int bias) {
    const int exponent = (bits & 0x7f) >> mantissa_bits, mantissa = bits & ((1 << mantissa_bits) - 1);
    const double fraction = std::ldexp(mantissa, -mantissa_bits);
    const double value = exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
    return static_cast<float>(bits & 0x80 ? -value : value);
}

void expect_equal(float actual, float expected, int bits) {
    EXPECT_EQ(actual, expected) << bits;
    EXPECT_EQ(std::signbit(actual), std::signbit(expected)) << bits;
}

TEST(Float8, E4M3HasNoInfinityAndOneNaNOfEachSign) {
    for (int bits = 0; bits < 256; ++bits) {
        const auto value = static_cast<float>(Float8E4M3{static_cast<std::uint8_t>(bits)});
        if ((bits & 0x7f) == 0x7f) EXPECT_TRUE(std::isnan(value)) << bits;
        else expect_equal(value, defined(bits, 3, 7), bits);
    }
    EXPECT_EQ(static_cast<float>(Float8E4M3{0x7e}), 448.0f);
    EXPECT_EQ(static_cast<float>(Float8E4M3{0x01}), 0.001953125f);
}

TEST(Float8, E5M2HasInfinitiesAndNaNs) {
    for (int bits = 0; bits < 256; ++bits) {
        const auto value = static_cast<float>(Float8E5M2{static_cast<std::uint8_t>(bits)});
        const int rest = bits & 0x7f;
        if (rest > 0x7c) EXPECT_TRUE(std::isnan(value)) << bits;
        else if (rest == 0x7c)
            expect_equal(value, (bits & 0x80 ? -1.0f : 1.0f) * std::numeric_limits<float>::infinity(), bits);
        else expect_equal(value, defined(bits, 2, 15), bits);
    }
    EXPECT_EQ(static_cast<float>(Float8E5M2{0x7b}), 57344.0f);
    EXPECT_EQ(static_cast<float>(Float8E5M2{0x01}), 1.52587890625e-05f);
}

}  // namespace
