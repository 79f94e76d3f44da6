// SPDX-License-Identifier: Apache-2.0
/// Conversions and functions that are one instruction of the hardware's, or few.
#pragma once

#include <inlay/core/fp8.hpp>
#include <inlay/core/half.hpp>
#include <inlay/tile/hip/isa/language.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The value of the bits of an fp16.
__device__ INLAY_INLINE float half_to_float(std::uint16_t bits) {
    return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}

namespace detail {
/// The bits of f, rounded so that their upper half is the nearest bf16, to even between two; a NaN stays one.
__device__ INLAY_INLINE std::uint32_t rounded_to_upper_half(float f) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, f), to_even = bits + 0x7fffu + ((bits >> 16) & 1u);
    return f == f ? to_even : bits | 0x400000u;
}
}  // namespace detail

/// The bits of the fp16, or the bf16, nearest to f; to even between two.
template <class T>
__device__ INLAY_INLINE std::uint16_t rounded_bits(float f) {
    if constexpr (std::is_same_v<T, fp16>) return __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(f));
    else return static_cast<std::uint16_t>(detail::rounded_to_upper_half(f) >> 16);
}
/// The same of two, `low` in the low half of the word.
template <class T>
__device__ INLAY_INLINE std::uint32_t rounded_pair(float low, float high) {
    if constexpr (std::is_same_v<T, fp16>)
        return rounded_bits<T>(low) | static_cast<std::uint32_t>(rounded_bits<T>(high)) << 16;
    else
        // Bytes 2 and 3 of each, those of `low` first.
        return __builtin_amdgcn_perm(detail::rounded_to_upper_half(high), detail::rounded_to_upper_half(low),
                                     0x07060302u);
}
/// The values of two fp8s, the lower bytes of a word, as two fp16s. (gfx942's instruction is for another fp8.)
__device__ INLAY_INLINE std::uint32_t halves_of_fp8(std::uint32_t pair) {
    using Halves = _Float16 __attribute__((ext_vector_type(2)));
    const Halves whole = __builtin_bit_cast(Halves, inlay::detail::fp8_as_halves(pair)) * static_cast<_Float16>(256.0f);
    return __builtin_bit_cast(std::uint32_t, whole) | inlay::detail::fp8_nan_bits(pair);
}
/// The bits of the fp8s nearest to two numbers, `low` in the lower byte; to even between two, saturated.
__device__ INLAY_INLINE std::uint32_t rounded_fp8_pair(float low, float high) {
    return fp8(low).bits | static_cast<std::uint32_t>(fp8(high).bits) << 8;
}
/// 2^x, to 1 unit in the last place; denormals are 0.
__device__ INLAY_INLINE float exp2_approximate(float x) { return __builtin_amdgcn_exp2f(x); }
/// 1 / x, to 1 unit in the last place; denormals are 0.
__device__ INLAY_INLINE float reciprocal_approximate(float x) { return __builtin_amdgcn_rcpf(x); }
/// 1 / √x, to 1 unit in the last place.
__device__ INLAY_INLINE float reciprocal_sqrt(float x) { return __builtin_amdgcn_rsqf(x); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
