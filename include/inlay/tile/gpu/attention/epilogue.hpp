// SPDX-License-Identifier: Apache-2.0
/// Attention epilogue: outputs of blocks that shared the keys are merged in a fixed order, divided by the sums, and
/// pass through epilogue and sink in chunks of eight columns. The last block to arrive merges a tile.
#pragma once

#include <inlay/tile/gpu/attention/softmax.hpp>
#include <inlay/tile/gpu/attention/work_tile.hpp>
#include <inlay/tile/gpu/block/arrival.hpp>
#include <inlay/tile/gpu/epilogue/chunk.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Floats that a block leaves in memory for the one that merges its tile.
template <class Tile>
inline constexpr index_t partial_floats = Tile::rows * (Tile::columns + 2);

/// Leaves the block's share in memory; true for the last block of the tile, to which all shares are visible.
template <class Tile, int KeyWarps>
__device__ INLAY_INLINE bool leave_part(float* out, const WorkTile& work_tile, const GridShape& w) {
    const int t = thread_index();
    const float *const most = out + Tile::tile_rows * Tile::out_pitch,
                *const sum = most + KeyWarps * Tile::tile_rows;
    float* const to =
        w.partial + (static_cast<index_t>(work_tile.tile) * w.splits + work_tile.split) * partial_floats<Tile>;
    constexpr int quads = Tile::columns / 4;
    for (int i = t; i < Tile::rows * quads; i += Tile::threads)
        reinterpret_cast<float4*>(to)[i] =
            *reinterpret_cast<const float4*>(out + i / quads * Tile::out_pitch + i % quads * 4);
    for (int row = t; row < Tile::rows; row += Tile::threads) {
        to[Tile::rows * Tile::columns + row] = most[row];
        to[Tile::rows * (Tile::columns + 1) + row] = sum[row];
    }
    return last_of(w.arrived + work_tile.tile, w.splits, *reinterpret_cast<bool*>(out));
}

/// Merges eight columns of a row from the shares of all blocks of a tile; returns the row's sum.
template <class Tile>
__device__ INLAY_INLINE float merged(Vec<float, 8>& v, const WorkTile& work_tile, const GridShape& w, int row,
                                    int column) {
    const float* const parts = w.partial + static_cast<index_t>(work_tile.tile) * w.splits * partial_floats<Tile>;
    constexpr int most = Tile::rows * Tile::columns, sum = most + Tile::rows;
    float top = -infinity, total = 0.0f;
    for (int s = 0; s < w.splits; ++s) top = fmaxf(top, load_l2(parts + s * partial_floats<Tile> + most + row));
    v = 0.0f;
    for (int s = 0; s < w.splits; ++s) {
        const float* const part = parts + s * partial_floats<Tile>;
        const float by = rebased(load_l2(part + most + row), top, w.scale);
        total += load_l2(part + sum + row) * by;
        INLAY_UNROLL
        for (int i = 0; i < 2; ++i) {
            const float4 x = load_l2(reinterpret_cast<const float4*>(part + row * Tile::columns + column) + i);
            v.v[4 * i] += x.x * by, v.v[4 * i + 1] += x.y * by, v.v[4 * i + 2] += x.z * by, v.v[4 * i + 3] += x.w * by;
        }
    }
    return total;
}

/// A loop of its own, which divides by the sums of rows and merges splits. The output of a block's warps through
/// epilogue and sink: `out` [rows][out_pitch] in shared memory, followed by the maxima and the sums of the rows,
/// KeyWarps of each, of which the first are those of all.
template <class Tile, int KeyWarps, class Args>
__device__ INLAY_INLINE void epilogue_block(float* out, const WorkTile& work_tile, const Args& a) {
    const bool split = a.grid.splits > 1;
    if (split && !leave_part<Tile, KeyWarps>(out, work_tile, a.grid)) return;
    const float* const sum = out + Tile::tile_rows * Tile::out_pitch + KeyWarps * Tile::tile_rows;
    const QueryRows queries = work_tile.query_rows();
    constexpr int eights = Tile::columns / 8;
#pragma unroll 1
    for (int i = thread_index(); i < Tile::rows * eights; i += Tile::threads) {
        const int row = i / eights, column = i % eights * 8;
        Extents<4> c;
        if (!queries.at(row, c)) break;
        c[3] = column;
        Vec<float, 8> v;
        float total;
        if (split) {
            total = merged<Tile>(v, work_tile, a.grid, row, column);
        } else {
            v = load_vector<8>(out + row * Tile::out_pitch + column);
            total = sum[row];
        }
        v *= total == 0.0f ? 0.0f : 1.0f / total;  // no key at all: 0
        const int n = Tile::d - column < 8 ? Tile::d - column : 8;
        store_epilogue<8>(a.epilogue, a.sink, c, n, &v);
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
