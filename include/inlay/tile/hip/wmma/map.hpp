// SPDX-License-Identifier: Apache-2.0
/// Places of elements in the registers of gfx1100's atoms, as constant functions that tests read on any machine.
///
/// The instruction's operands are swapped, so that it computes Cᵀ: a lane then has one row of C. Of its columns, the
/// instruction gives the even ones to lanes 0 to 15 and the odd ones to lanes 16 to 31. B's columns are therefore read
/// in another order, by which a lane has two runs of four neighbours, stored 16 bytes at a time.
#pragma once

#include <inlay/tile/gpu/gemm/place.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// C of both atoms: 16×16 in waves of 32; A and B, of which both halves of a wave have the same rows of 2 chunks.
struct WmmaMap {
    static constexpr int lanes = 32, m = 16, n = 16, chunks = 2;
    static constexpr int c_count = 8, c_rows = 1, c_columns = 8, c_run = 4;

    INLAY_FN static constexpr int column(int lane, int i) { return i / 4 * 8 + lane / 16 % 2 * 4 + i % 4; }
    INLAY_FN static constexpr Place place_c(int lane, int i) { return {lane % 16, column(lane, i)}; }
    INLAY_FN static constexpr int a_row(int lane) { return lane % 16; }
    INLAY_FN static constexpr int a_chunk(int) { return 0; }
    INLAY_FN static constexpr int b_chunk(int) { return 0; }
};
/// fp16, bf16: v_wmma_f32_16x16x16. Register i of C of lane l is row 2·i + l/16 of the instruction's, so B's column in
/// that lane is the one that `column` names.
struct Wmma16Map : WmmaMap {
    static constexpr int k = 16;
    INLAY_FN static constexpr int b_row(int lane) { return column(lane % 2 * 16, lane % 16 / 2); }
};
/// fp32: v_fmac_f32, which takes B from lane i of its row of 16 lanes, for register i of C.
struct WmmaFp32Map : WmmaMap {
    static constexpr int k = 8;
    INLAY_FN static constexpr int b_row(int lane) { return column(lane, lane % 8); }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
