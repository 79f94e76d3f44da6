// SPDX-License-Identifier: Apache-2.0
/// Half precision as bits: storage only. Arithmetic happens in float; each target converts with its own instructions.
#pragma once

#include <inlay/core/config.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI {

namespace detail {

INLAY_FN constexpr std::uint16_t float_to_half_bits(float f) {
    const std::uint32_t x = __builtin_bit_cast(std::uint32_t, f);
    const std::uint32_t sign = (x >> 16) & 0x8000u;
    const std::uint32_t a = x & 0x7fffffffu;
    if (a > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);   // NaN
    if (a >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // rounds past 65504, or infinity
    if (a >= 0x38800000u) {                                                   // normal: round to nearest even
        const std::uint32_t r = a + 0x0fffu + ((a >> 13) & 1u);
        return static_cast<std::uint16_t>(sign | ((r - 0x38000000u) >> 13));
    }
    if (a < 0x33000000u) return static_cast<std::uint16_t>(sign);  // below half the least subnormal
    const std::uint32_t e = a >> 23;
    const std::uint32_t m = (a & 0x7fffffu) | 0x800000u;
    const std::uint32_t shift = 126u - e;  // 14 … 24
    const std::uint32_t half = 1u << (shift - 1);
    const std::uint32_t kept = m >> shift;
    const std::uint32_t rest = m & ((1u << shift) - 1u);
    return static_cast<std::uint16_t>(sign | (kept + (rest > half || (rest == half && (kept & 1u)) ? 1u : 0u)));
}

INLAY_FN constexpr float half_bits_to_float(std::uint16_t h) {
    const std::uint32_t sign = (h & 0x8000u) << 16;
    const std::uint32_t e = (h >> 10) & 31u;
    const std::uint32_t m = h & 0x3ffu;
    if (e == 31u) return __builtin_bit_cast(float, sign | 0x7f800000u | (m << 13));
    if (e != 0u) return __builtin_bit_cast(float, sign | ((e + 112u) << 23) | (m << 13));
    const float tiny = static_cast<float>(m) * 5.9604644775390625e-8f;  // 2^-24
    return __builtin_bit_cast(float, sign | __builtin_bit_cast(std::uint32_t, tiny));
}

INLAY_FN constexpr std::uint16_t float_to_bf16_bits(float f) {
    const std::uint32_t x = __builtin_bit_cast(std::uint32_t, f);
    if ((x & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((x >> 16) | 0x40u);
    return static_cast<std::uint16_t>((x + 0x7fffu + ((x >> 16) & 1u)) >> 16);
}

INLAY_FN constexpr float bf16_bits_to_float(std::uint16_t b) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(b) << 16);
}

}  // namespace detail

/// IEEE binary16, stored. Converts to and from float with round to nearest even. A caller may have written it as a
/// __half or _Float16 (`core/caller_types.hpp`).
struct INLAY_MAY_ALIAS fp16 {
    std::uint16_t bits;
    fp16() = default;
    INLAY_FN constexpr explicit fp16(float f) : bits(detail::float_to_half_bits(f)) {}
    INLAY_FN constexpr explicit operator float() const { return detail::half_bits_to_float(bits); }
    INLAY_FN static constexpr fp16 from_bits(std::uint16_t b) { return __builtin_bit_cast(fp16, b); }
};

/// bfloat16, stored. Converts to and from float with round to nearest even.
struct INLAY_MAY_ALIAS bf16 {
    std::uint16_t bits;
    bf16() = default;
    INLAY_FN constexpr explicit bf16(float f) : bits(detail::float_to_bf16_bits(f)) {}
    INLAY_FN constexpr explicit operator float() const { return detail::bf16_bits_to_float(bits); }
    INLAY_FN static constexpr bf16 from_bits(std::uint16_t b) { return __builtin_bit_cast(bf16, b); }
};

}  // namespace inlay::inline INLAY_ABI
