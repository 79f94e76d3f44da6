// SPDX-License-Identifier: Apache-2.0
/// FP8 as bits: storage only, as halves are (`core/half.hpp`).
#pragma once

#include <inlay/core/config.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI {

namespace detail {

INLAY_FN constexpr std::uint8_t float_to_fp8_bits(float f) {
    const std::uint32_t x = __builtin_bit_cast(std::uint32_t, f);
    const std::uint32_t sign = (x >> 24) & 0x80u;
    const std::uint32_t a = x & 0x7fffffffu;
    if (a > 0x7f800000u) return 0x7fu;                                       // NaN
    if (a >= 0x43e00000u) return static_cast<std::uint8_t>(sign | 0x7eu);    // from 448 on, infinity too
    if (a >= 0x3c800000u) {                                                  // normal: round to nearest even
        const std::uint32_t r = a + 0x7ffffu + ((a >> 20) & 1u);
        return static_cast<std::uint8_t>(sign | ((r - 0x3c000000u) >> 20));
    }
    // Subnormal: the sum with 2^14, whose last place is 2^-9, is rounded to it.
    const float sum = __builtin_bit_cast(float, a) + 16384.0f;
    return static_cast<std::uint8_t>(sign | (__builtin_bit_cast(std::uint32_t, sum) - 0x46800000u));
}

INLAY_FN constexpr float fp8_bits_to_float(std::uint8_t b) {
    const std::uint32_t sign = (b & 0x80u) << 24;
    const std::uint32_t e = (b >> 3) & 15u;
    const std::uint32_t m = b & 7u;
    if ((b & 0x7fu) == 0x7fu) return __builtin_bit_cast(float, sign | 0x7fc00000u);
    if (e != 0u) return __builtin_bit_cast(float, sign | ((e + 120u) << 23) | (m << 20));
    const float tiny = static_cast<float>(m) * 0.001953125f;  // 2^-9
    return __builtin_bit_cast(float, sign | __builtin_bit_cast(std::uint32_t, tiny));
}

/// Two fp8s, the lower bytes of a word, apart: at bits 0 and 16.
INLAY_FN constexpr std::uint32_t fp8_apart(std::uint32_t pair) { return (pair & 0xffu) | ((pair & 0xff00u) << 8); }
/// As two fp16s, 1/256 of their values, for processors that have no such conversion.
INLAY_FN constexpr std::uint32_t fp8_as_halves(std::uint32_t pair) {
    const std::uint32_t x = fp8_apart(pair);
    return ((x & 0x00800080u) << 8) | ((x & 0x007f007fu) << 7);
}
/// The bits to be set in those of 256 times these fp16s, so that NaN is one.
INLAY_FN constexpr std::uint32_t fp8_nan_bits(std::uint32_t pair) {
    return (((fp8_apart(pair) & 0x007f007fu) + 0x00010001u) & 0x00800080u) * 0xfcu;
}

}  // namespace detail

/// FP8 E4M3 of the Open Compute Project (e4m3fn), stored: 4 bits of exponent, 3 of mantissa, no infinity. Numbers become
/// one by rounding to nearest even and saturate at ±448, infinities too; NaN is 0x7f. A caller may have written it as a
/// __nv_fp8_e4m3 (`core/caller_types.hpp`).
struct INLAY_MAY_ALIAS fp8 {
    std::uint8_t bits;
    fp8() = default;
    INLAY_FN constexpr explicit fp8(float f) : bits(detail::float_to_fp8_bits(f)) {}
    INLAY_FN constexpr explicit operator float() const { return detail::fp8_bits_to_float(bits); }
    INLAY_FN static constexpr fp8 from_bits(std::uint8_t b) { return __builtin_bit_cast(fp8, b); }
};

}  // namespace inlay::inline INLAY_ABI
