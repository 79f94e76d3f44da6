// SPDX-License-Identifier: Apache-2.0
/// Matrix instructions of a warp. Products of an instruction and C are added exactly, as far as a double is exact, and
/// the sum is cut to fp32 towards 0, as tensor cores cut it.
#pragma once

#include <cstdint>

namespace emulator {

enum class Element { half, bf16, tf32 };

/// `ldmatrix` of `count` matrices.
void load_matrices(std::uint32_t* r, std::uint32_t row, int count, bool transposed);
/// `mma.m16n8k`: C [16, 8] += A [16, k] · B [k, 8].
void mma(Element type, int k, float* c, const std::uint32_t* a, const std::uint32_t* b);

/// The elements of a register: two of 16 bits, the first in the low half, or one of TF32.
void unpack(Element type, std::uint32_t r, float* to);
/// c [16][n] += a [16][16] · b [16][n]; `k` of the 16.
void multiply_add(float* c, const float (&a)[16][16], const float* b, int n, int k);

}  // namespace emulator
