// SPDX-License-Identifier: Apache-2.0
/// Outputs of a block's warps, merged in a fixed order in shared memory, from the places of the atom's C.
#pragma once

#include <inlay/tile/cuda/mma/attention/scores.hpp>
#include <inlay/tile/gpu/attention/softmax.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Unfinished outputs of all warps to `out` [rows][out_pitch] in shared memory, followed by the maxima and the sums of
/// the rows; all threads of the block call it. `tile0`: the warp's first tile of columns.
template <class Tile, int KeyWarps, int MTiles, int OutTiles>
__device__ INLAY_INLINE void epilogue_warps(float* out, FragmentC (&o)[MTiles][OutTiles],
                                          const Softmax<MTiles>& state, float scale, int warp_row, int key_warp,
                                          int tile0) {
    constexpr int rows = Tile::rows;
    float *const most = out + rows * Tile::out_pitch, *const sum = most + KeyWarps * rows;
    const int lane = lane_index();
    const auto each_row = [&](auto&& f) {
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < 2; ++h) f(m, h, warp_row + m * 16 + h * 8 + lane / 4);
    };
    block_sync();  // the last reads of K and V are done
    if (lane % 4 == 0 && tile0 == 0)
        each_row([&](int m, int h, int row) {
            most[key_warp * rows + row] = state.most[m][h];
            sum[key_warp * rows + row] = state.sum[m][h];
        });
    block_sync();
    const auto most_of = [&](int row) {
        float x = most[row];
        INLAY_UNROLL
        for (int k = 1; k < KeyWarps; ++k) x = fmaxf(x, most[k * rows + row]);
        return x;
    };
    INLAY_UNROLL
    for (int k = 0; k < KeyWarps; ++k) {
        if (key_warp == k)
            each_row([&](int m, int h, int row) {
                const float by = KeyWarps > 1 ? rebased(state.most[m][h], most_of(row), scale) : 1.0f;
                INLAY_UNROLL
                for (int n = 0; n < OutTiles; ++n) {
                    if (Tile::out_tiles % OutTiles != 0 && tile0 + n >= Tile::out_tiles) break;
                    float* const at = out + row * Tile::out_pitch + (tile0 + n) * 8 + lane % 4 * 2;
                    float2& to = *reinterpret_cast<float2*>(at);
                    float2 x = make_float2(o[m][n].r[2 * h] * by, o[m][n].r[2 * h + 1] * by);
                    if (k > 0) x.x += to.x, x.y += to.y;
                    to = x;
                }
            });
        block_sync();
    }
    if constexpr (KeyWarps > 1) {
        for (int row = thread_index(); row < rows; row += Tile::threads) {
            const float top = most_of(row);
            float total = 0.0f;
            INLAY_UNROLL
            for (int k = 0; k < KeyWarps; ++k) total += sum[k * rows + row] * rebased(most[k * rows + row], top, scale);
            most[row] = top;
            sum[row] = total;
        }
        block_sync();
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
