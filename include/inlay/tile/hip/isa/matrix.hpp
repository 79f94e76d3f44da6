// SPDX-License-Identifier: Apache-2.0
/// Matrix instructions of a wave, in fp32: `mfma` of gfx90a and gfx942, `wmma` of gfx1100, and the product that gfx1100
/// makes of FMAs, as it has no matrix instruction of fp32. The layout of registers is the atoms' to describe. A kernel
/// calls only those of its image.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/tile/hip/isa/language.hpp>

#include <cstdint>
#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

template <class T, int N>
using Native = T __attribute__((ext_vector_type(N)));

/// f of the registers of C as the vector that an instruction takes.
template <int N, class F>
__device__ INLAY_INLINE void with_vector(float (&c)[N], F f) {
    Native<float, N> v;
    __builtin_memcpy(&v, c, sizeof(v));
    v = f(v);
    __builtin_memcpy(c, &v, sizeof(v));
}
template <class T, int N>
__device__ INLAY_INLINE auto elements(const std::uint32_t (&x)[N]) {
    using Element = std::conditional_t<std::is_same_v<T, fp16>, _Float16, short>;
    Native<Element, 2 * N> v;
    __builtin_memcpy(&v, x, sizeof(v));
    return v;
}

}  // namespace detail

// Declared in every pass, so that atoms are; defined in those that have the instruction.
template <class T>
__device__ void mfma_16x16x16(float (&c)[4], const std::uint32_t (&a)[2], const std::uint32_t (&b)[2]);
template <class T>
__device__ void mfma_32x32x8(float (&c)[16], const std::uint32_t (&a)[2], const std::uint32_t (&b)[2]);
__device__ void mfma_16x16x4(float (&c)[4], float a, float b);
template <class T>
__device__ void wmma_16x16x16(float (&c)[8], const std::uint32_t (&a)[8], const std::uint32_t (&b)[8]);
template <int J>
__device__ void fma_row_share(float& c, float a, float b);

#if defined(__HIP_DEVICE_COMPILE__) && INLAY_GFX9

/// C[16, 16] += A[16, 16] · B[16, 16] of fp16 or bf16.
template <class T>
__device__ INLAY_INLINE void mfma_16x16x16(float (&c)[4], const std::uint32_t (&a)[2], const std::uint32_t (&b)[2]) {
    detail::with_vector(c, [&](auto v) {
        const auto x = detail::elements<T>(a), y = detail::elements<T>(b);
        if constexpr (std::is_same_v<T, fp16>) return __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, v, 0, 0, 0);
        else return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x, y, v, 0, 0, 0);
    });
}
/// C[32, 32] += A[32, 8] · B[8, 32] of fp16 or bf16.
template <class T>
__device__ INLAY_INLINE void mfma_32x32x8(float (&c)[16], const std::uint32_t (&a)[2], const std::uint32_t (&b)[2]) {
    detail::with_vector(c, [&](auto v) {
        const auto x = detail::elements<T>(a), y = detail::elements<T>(b);
        if constexpr (std::is_same_v<T, fp16>) return __builtin_amdgcn_mfma_f32_32x32x8f16(x, y, v, 0, 0, 0);
        else return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(x, y, v, 0, 0, 0);
    });
}
/// C[16, 16] += A[16, 4] · B[4, 16] of fp32.
__device__ INLAY_INLINE void mfma_16x16x4(float (&c)[4], float a, float b) {
    detail::with_vector(c, [&](auto v) { return __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, v, 0, 0, 0); });
}

#elif defined(__HIP_DEVICE_COMPILE__)

/// C[16, 16] += A[16, 16] · B[16, 16] of fp16 or bf16.
template <class T>
__device__ INLAY_INLINE void wmma_16x16x16(float (&c)[8], const std::uint32_t (&a)[8], const std::uint32_t (&b)[8]) {
    detail::with_vector(c, [&](auto v) {
        const auto x = detail::elements<T>(a), y = detail::elements<T>(b);
        if constexpr (std::is_same_v<T, fp16>) return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x, y, v);
        else return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(x, y, v);
    });
}
/// c += a · (b of lane J of this lane's row of 16): one instruction. The compiler would move b by another one and keep
/// hundreds of such copies, more than there are registers.
template <int J>
__device__ INLAY_INLINE void fma_row_share(float& c, float a, float b) {
    static_assert(J >= 0 && J < 16);
    asm("v_fmac_f32_dpp %0, %1, %2 row_share:%3 row_mask:0xf bank_mask:0xf" : "+v"(c) : "v"(b), "v"(a), "n"(J));
}

#endif

/// Raises this wave above the others of its SIMD while it issues a burst of products, and returns it to them.
__device__ INLAY_INLINE void raise_priority() { __builtin_amdgcn_s_setprio(1); }
__device__ INLAY_INLINE void lower_priority() { __builtin_amdgcn_s_setprio(0); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
