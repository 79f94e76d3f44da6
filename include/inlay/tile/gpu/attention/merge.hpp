// SPDX-License-Identifier: Apache-2.0
/// Outputs of a block's warps, merged in a fixed order in shared memory, from the places of the atom's C.
#pragma once

#include <inlay/tile/gpu/attention/online_softmax.hpp>
#include <inlay/tile/gpu/attention/softmax.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// A run of neighbouring columns.
template <int Run>
using RunOf = std::conditional_t<Run == 2, float2, float4>;

/// A lane's columns of a row of C, times `by`, to shared memory, where `add` onto what lies there.
template <class Atom>
__device__ INLAY_INLINE void put_columns(float* row, const float* from, float by, bool add) {
    constexpr int run = Atom::c_run;
    INLAY_UNROLL
    for (int i = 0; i < Atom::c_columns; i += run) {
        auto& to = *reinterpret_cast<RunOf<run>*>(row + c_column<Atom>(i));
        RunOf<run> x;
        if constexpr (run == 2) {
            x = make_float2(from[i] * by, from[i + 1] * by);
            if (add) x.x += to.x, x.y += to.y;
        } else {
            x = make_float4(from[i] * by, from[i + 1] * by, from[i + 2] * by, from[i + 3] * by);
            if (add) x.x += to.x, x.y += to.y, x.z += to.z, x.w += to.w;
        }
        to = x;
    }
}

/// Unfinished outputs of all warps to `out` [rows][out_pitch] in shared memory, followed by the maxima and the sums of
/// the rows; all threads of the block call it. `tile0`: the warp's first tile of columns.
template <class Tile, int KeyWarps, int MTiles, int OutTiles>
__device__ INLAY_INLINE void epilogue_warps(float* out, typename Tile::Atom::C (&o)[MTiles][OutTiles],
                                            const Softmax<typename Tile::Atom, MTiles>& state, float scale,
                                            int warp_row, int key_warp, int tile0) {
    using Atom = typename Tile::Atom;
    constexpr int rows = Tile::tile_rows;
    float *const most = out + rows * Tile::out_pitch, *const sum = most + KeyWarps * rows;
    const auto place = Atom::place_c(lane_index(), 0);
    const auto each_row = [&](auto&& f) {
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < Atom::c_rows; ++h) f(m, h, warp_row + m * 16 + c_row<Atom>(h) + place.row);
    };
    block_sync();  // the last reads of K and V are done
    if (place.column == 0 && tile0 == 0)
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
                    float* const at = out + row * Tile::out_pitch + (tile0 + n) * Atom::n + place.column;
                    put_columns<Atom>(at, o[m][n].r + h * Atom::c_columns, by, k > 0);
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
