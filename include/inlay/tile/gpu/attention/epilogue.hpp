// SPDX-License-Identifier: Apache-2.0
/// How attention leaves: outputs of warps, and of blocks that shared the keys, are merged in a fixed order, divided by
/// the sums, and pass through epilogue and sink in chunks of eight columns. The last block to arrive merges a tile.
#pragma once

#include <inlay/tile/gpu/attention/work_tile.hpp>
#include <inlay/tile/cuda/mma/attention/scores.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// What a sum relative to the maximum `from` must be multiplied by to be relative to `to`, the greater one.
__device__ INLAY_INLINE float rebased(float from, float to, float scale) {
    return from == -infinity ? 0.0f : exp2_approximate((from - to) * scale);
}

/// Unfinished outputs of all warps to `out` [rows][out_pitch] in shared memory, followed by the maxima and the sums of
/// the rows; all threads of the block call it. `tile0`: the warp's first tile of columns.
template <class Tile, int KeyWarps, int MTiles, int OutTiles>
__device__ INLAY_INLINE void epilogue_warps(float* out, FragmentC (&o)[MTiles][OutTiles],
                                          const Softmax<MTiles>& state, float scale, int warp_row, int key_warp,
                                          int tile0) {
    constexpr int rows = Tile::rows;
    float *const most = out + rows * Tile::out_pitch, *const sum = most + KeyWarps * rows;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const auto each_row = [&](auto&& f) {
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < 2; ++h) f(m, h, warp_row + m * 16 + h * 8 + lane / 4);
    };
    __syncthreads();  // nobody reads K and V any more
    if (lane % 4 == 0 && tile0 == 0)
        each_row([&](int m, int h, int row) {
            most[key_warp * rows + row] = state.most[m][h];
            sum[key_warp * rows + row] = state.sum[m][h];
        });
    __syncthreads();
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
        __syncthreads();
    }
    if constexpr (KeyWarps > 1) {
        for (int row = static_cast<int>(threadIdx.x); row < rows; row += Tile::threads) {
            const float top = most_of(row);
            float total = 0.0f;
            INLAY_UNROLL
            for (int k = 0; k < KeyWarps; ++k) total += sum[k * rows + row] * rebased(most[k * rows + row], top, scale);
            most[row] = top;
            sum[row] = total;
        }
        __syncthreads();
    }
}

/// Floats that a block leaves to the one that merges its tile.
template <class Tile>
inline constexpr index_t partial_floats = Tile::rows * (Tile::columns + 2);

/// Leaves the block's part in memory; true for the last block of the tile, which sees the parts of all.
template <class Tile, int KeyWarps>
__device__ INLAY_INLINE bool leave_part(float* out, const Job& job, const Work& w) {
    const int t = static_cast<int>(threadIdx.x);
    const float *const most = out + Tile::rows * Tile::out_pitch, *const sum = most + KeyWarps * Tile::rows;
    float* const to = w.partial + (static_cast<index_t>(job.tile) * w.splits + job.split) * partial_floats<Tile>;
    constexpr int quads = Tile::columns / 4;
    for (int i = t; i < Tile::rows * quads; i += Tile::threads)
        reinterpret_cast<float4*>(to)[i] =
            *reinterpret_cast<const float4*>(out + i / quads * Tile::out_pitch + i % quads * 4);
    for (int row = t; row < Tile::rows; row += Tile::threads) {
        to[Tile::rows * Tile::columns + row] = most[row];
        to[Tile::rows * (Tile::columns + 1) + row] = sum[row];
    }
    __threadfence();
    __syncthreads();
    volatile int* const last = reinterpret_cast<int*>(out);
    if (t == 0) {
        *last = atomicAdd(w.arrived + job.tile, 1u) == static_cast<unsigned>(w.splits) - 1;
        if (*last) w.arrived[job.tile] = 0;
    }
    __syncthreads();
    __threadfence();
    return *last != 0;
}

/// Eight columns of a row from the parts of all blocks of a tile; returns the row's sum.
template <class Tile>
__device__ INLAY_INLINE float merged(Vec<float, 8>& v, const Job& job, const Work& w, int row, int column) {
    const float* const parts = w.partial + static_cast<index_t>(job.tile) * w.splits * partial_floats<Tile>;
    constexpr int most = Tile::rows * Tile::columns, sum = most + Tile::rows;
    float top = -infinity, total = 0.0f;
    for (int s = 0; s < w.splits; ++s) top = fmaxf(top, __ldcg(parts + s * partial_floats<Tile> + most + row));
    v = 0.0f;
    for (int s = 0; s < w.splits; ++s) {
        const float* const part = parts + s * partial_floats<Tile>;
        const float by = rebased(__ldcg(part + most + row), top, w.scale);
        total += __ldcg(part + sum + row) * by;
        INLAY_UNROLL
        for (int i = 0; i < 2; ++i) {
            const float4 x = __ldcg(reinterpret_cast<const float4*>(part + row * Tile::columns + column) + i);
            v.v[4 * i] += x.x * by, v.v[4 * i + 1] += x.y * by, v.v[4 * i + 2] += x.z * by, v.v[4 * i + 3] += x.w * by;
        }
    }
    return total;
}

/// What `epilogue_warps` left passes through epilogue and sink.
template <class Tile, int KeyWarps, class Args>
__device__ INLAY_INLINE void epilogue_block(float* out, const Job& job, const Args& a) {
    const bool split = a.work.splits > 1;
    if (split && !leave_part<Tile, KeyWarps>(out, job, a.work)) return;
    const float* const sum = out + Tile::rows * Tile::out_pitch + KeyWarps * Tile::rows;
    const QueryRows queries = job.query_rows();
    constexpr int eights = Tile::columns / 8;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < Tile::rows * eights; i += Tile::threads) {
        const int row = i / eights, column = i % eights * 8;
        Extents<4> c;
        if (!queries.at(row, c)) break;
        c[3] = column;
        Vec<float, 8> v;
        float total;
        if (split) {
            total = merged<Tile>(v, job, a.work, row, column);
        } else {
            v = load_vector<8>(out + row * Tile::out_pitch + column);
            total = sum[row];
        }
        v *= total == 0.0f ? 0.0f : 1.0f / total;  // no key at all: 0
        const int n = Tile::d - column < 8 ? Tile::d - column : 8;
        write_chunk<8>(a.sink, c, n, read_chunk<8>(a.epilogue, c, n, &v));
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
