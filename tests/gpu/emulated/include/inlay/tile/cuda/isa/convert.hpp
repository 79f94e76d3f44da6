// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/isa/convert.hpp, emulated.
#pragma once

#include <inlay/core/fp8.hpp>
#include <inlay/core/half.hpp>

#include <bit>
#include <cmath>
#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

inline float half_to_float(std::uint16_t bits) { return static_cast<float>(fp16::from_bits(bits)); }
template <class T>
std::uint16_t rounded_bits(float f) {
    return T(f).bits;
}
template <class T>
std::uint32_t rounded_pair(float low, float high) {
    return rounded_bits<T>(low) | static_cast<std::uint32_t>(rounded_bits<T>(high)) << 16;
}
inline std::uint32_t rounded_tf32(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    return std::isfinite(x) ? (bits + 0x1000u) & ~0x1fffu : bits;
}
inline std::uint32_t halves_of_fp8(std::uint32_t pair) {
    const auto half = [](std::uint32_t bits) {
        return fp16(static_cast<float>(fp8::from_bits(static_cast<std::uint8_t>(bits)))).bits;
    };
    return half(pair) | static_cast<std::uint32_t>(half(pair >> 8)) << 16;
}
inline void halves_of_fp8(std::uint32_t word, std::uint32_t& low, std::uint32_t& high) {
    low = halves_of_fp8(word);
    high = halves_of_fp8(word >> 16);
}
inline std::uint32_t rounded_fp8_pair(float low, float high) {
    return fp8(low).bits | static_cast<std::uint32_t>(fp8(high).bits) << 8;
}
inline float exp2_approximate(float x) {
    const float r = std::exp2(x);
    return r < 0x1p-126f ? 0.0f : r;
}
inline float reciprocal_approximate(float x) { return 1.0f / x; }
inline float reciprocal_sqrt(float x) { return static_cast<float>(1 / std::sqrt(static_cast<double>(x))); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
