// SPDX-License-Identifier: Apache-2.0
/// Places of elements in the registers of the mfma atoms, as constant functions that tests read on any machine.
///
/// The instruction's operands are swapped, so that it computes Cᵀ: a lane then has one row of C, in runs of four
/// neighbouring columns, which are stored 16 bytes at a time and lie as the next product's A does. Along k a lane has
/// the chunk of 16 bytes that its number gives, read by one `ds_read_b128`; the atom's instructions take a part of it
/// each, the same of A and of B.
#pragma once

#include <inlay/tile/gpu/gemm/place.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// An atom of M×M over `64 / M` chunks of `Elements` elements. `Instructions` of them take Elements / Instructions
/// elements of each lane.
template <int M, int Elements, int Instructions>
struct MfmaMap {
    static constexpr int lanes = 64, m = M, n = M, chunks = lanes / M, k = chunks * Elements;
    static constexpr int instructions = Instructions, per_instruction = Elements / Instructions;
    static constexpr int c_count = M * M / lanes, c_rows = 1, c_columns = c_count, c_run = 4;

    INLAY_FN static constexpr int a_row(int lane) { return lane % M; }
    INLAY_FN static constexpr int a_chunk(int lane) { return lane / M; }
    INLAY_FN static constexpr int b_row(int lane) { return lane % M; }
    INLAY_FN static constexpr int b_chunk(int lane) { return lane / M; }
    /// Column of register i of C.
    INLAY_FN static constexpr int column(int lane, int i) { return i / 4 * (4 * chunks) + lane / M * 4 + i % 4; }
    INLAY_FN static constexpr Place place_c(int lane, int i) { return {lane % M, column(lane, i)}; }
    /// Element i of a lane's chunk.
    INLAY_FN static constexpr Place place_a(int lane, int i) { return {a_row(lane), a_chunk(lane) * Elements + i}; }
    INLAY_FN static constexpr Place place_b(int lane, int i) { return {b_chunk(lane) * Elements + i, b_row(lane)}; }
};

using Mfma16Map = MfmaMap<16, 8, 2>;        ///< fp16, bf16: two of v_mfma_f32_16x16x16
using Mfma32Map = MfmaMap<32, 8, 2>;        ///< fp16, bf16: two of v_mfma_f32_32x32x8
using MfmaFp32Map = MfmaMap<16, 4, 4>;      ///< fp32: four of v_mfma_f32_16x16x4

}  // namespace inlay::inline INLAY_ABI::on_gpu
