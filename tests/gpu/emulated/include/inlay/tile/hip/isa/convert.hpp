// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/hip/isa/convert.hpp, emulated.
#pragma once

#include <inlay/core/half.hpp>
#include <inlay/tile/hip/isa/language.hpp>

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
inline float exp2_approximate(float x) {
    const float r = std::exp2(x);
    return r < 0x1p-126f ? 0.0f : r;
}
inline float reciprocal_approximate(float x) { return 1.0f / x; }
inline float reciprocal_sqrt(float x) { return static_cast<float>(1 / std::sqrt(static_cast<double>(x))); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
