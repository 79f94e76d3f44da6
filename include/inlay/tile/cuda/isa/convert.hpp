// SPDX-License-Identifier: Apache-2.0
/// Conversions and functions that are one instruction of the hardware's.
#pragma once

#include <inlay/core/fp8.hpp>
#include <inlay/core/half.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The value of the bits of an fp16.
__device__ INLAY_INLINE float half_to_float(std::uint16_t bits) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
    return f;
}
/// The bits of the fp16, or the bf16, nearest to f; to even between two.
template <class T>
__device__ INLAY_INLINE std::uint16_t rounded_bits(float f) {
    std::uint16_t h;
    if constexpr (std::is_same_v<T, fp16>) asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    else asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}
/// The same of two, `low` in the low half of the word.
template <class T>
__device__ INLAY_INLINE std::uint32_t rounded_pair(float low, float high) {
    std::uint32_t r;
    if constexpr (std::is_same_v<T, fp16>) asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    else asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
}
/// The values of two fp8s, the lower bytes of a word, as two fp16s.
__device__ INLAY_INLINE std::uint32_t halves_of_fp8(std::uint32_t pair) {
    std::uint32_t r;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(r) : "h"(static_cast<std::uint16_t>(pair)));
    return r;
#else
    asm("mul.f16x2 %0, %1, %2;" : "=r"(r) : "r"(inlay::detail::fp8_as_halves(pair)), "r"(0x5c005c00u));  // 256
    return r | inlay::detail::fp8_nan_bits(pair);
#endif
}
/// The values of the four fp8s of a word, two by two.
__device__ INLAY_INLINE void halves_of_fp8(std::uint32_t word, std::uint32_t& low, std::uint32_t& high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    // The instruction takes either half of a register, which a shift before it would hide.
    asm("{.reg .b16 l, h; mov.b32 {l, h}, %2; cvt.rn.f16x2.e4m3x2 %0, l; cvt.rn.f16x2.e4m3x2 %1, h;}"
        : "=r"(low), "=r"(high)
        : "r"(word));
#else
    low = halves_of_fp8(word);
    high = halves_of_fp8(word >> 16);
#endif
}
/// The bits of the fp8s nearest to two numbers, `low` in the lower byte; to even between two, saturated.
__device__ INLAY_INLINE std::uint32_t rounded_fp8_pair(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    std::uint16_t r;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(high), "f"(low));
    return r;
#else
    return fp8(low).bits | static_cast<std::uint32_t>(fp8(high).bits) << 8;
#endif
}
/// The TF32 number nearest to x, away from 0 between two, as the bits of a float.
__device__ INLAY_INLINE std::uint32_t rounded_tf32(float x) {
    std::uint32_t r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}
/// 2^x; relative error 2^-22, denormals are 0.
__device__ INLAY_INLINE float exp2_approximate(float x) {
    float r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
/// 1 / x; relative error 2^-23, denormals are 0.
__device__ INLAY_INLINE float reciprocal_approximate(float x) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
/// 1 / √x, to 2 units in the last place.
__device__ INLAY_INLINE float reciprocal_sqrt(float x) { return rsqrtf(x); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
