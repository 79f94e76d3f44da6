// SPDX-License-Identifier: Apache-2.0
/// Bits of numbers: the words of floats, set bits, and the high half of a product.
#pragma once

#include <inlay/core/config.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

__device__ INLAY_INLINE std::uint32_t float_bits(float x) { return __float_as_uint(x); }
__device__ INLAY_INLINE float float_of_bits(std::uint32_t bits) { return __uint_as_float(bits); }

/// Bits that are set.
__device__ INLAY_INLINE int bit_count(std::uint32_t x) { return __popc(x); }

/// Bytes 0, 2, 1, 3 of x.
__device__ INLAY_INLINE std::uint32_t swap_middle_bytes(std::uint32_t x) { return __byte_perm(x, x, 0x3120); }

/// The high half of a · b.
__device__ INLAY_INLINE std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) { return __umulhi(a, b); }
__device__ INLAY_INLINE std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) { return __umul64hi(a, b); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
