// SPDX-License-Identifier: Apache-2.0
/// Products of a wave on AMD: the places of elements in registers are written without a look at the library's atoms, and
/// compared with AMD's matrix instruction calculator by `tests/hip/outside_maps.py`. Products of an instruction and C are
/// added as exactly as a double adds, and rounded to the nearest float once.
#pragma once

#include <emulator/machine.hpp>

#include <cstdint>

namespace emulator {

enum class Element { half, bf16, single };

/// `v_mfma_f32_{m}x{m}x{k}`, of waves of 64: C [m, m] += A [m, k] · B [k, m], m 16 or 32. A lane has `k·m / 64`
/// elements of A and of B and `m·m / 64` of C.
void mfma(Element, int m, int k, float* c, const void* a, const void* b);
/// `v_wmma_f32_16x16x16`, of waves of 32: lanes 16 to 31 have the same elements of A and B as lanes 0 to 15.
void wmma(Element, float* c, const std::uint32_t* a, const std::uint32_t* b);
/// `v_fmac_f32` with `row_share`: c + a · (b of lane `from` of the row of 16 that the lane is in).
float fma_row_share(int from, float c, float a, float b);

}  // namespace emulator
