// SPDX-License-Identifier: Apache-2.0
/// The kernel of attention for heads of more than 256 elements, as in the VAE: warps that share their queries share out
/// the keys of a block for the scores and the columns of V for the output.
#pragma once

#include <inlay/tile/cuda/mma/attention/kernel.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Probabilities to shared memory, in the order of keys that the fragments of V have: `p` is the lane's row and first
/// key.
template <class Tile>
__device__ INLAY_INLINE void store_probabilities(std::byte* p, const ScoreTile<Tile>& s) {
    using T = typename Tile::T;
    INLAY_UNROLL
    for (int m = 0; m < Tile::m_tiles; ++m)
        INLAY_UNROLL
        for (int n = 0; n < Tile::key_tiles; ++n)
            INLAY_UNROLL
            for (int h = 0; h < 2; ++h) {
                std::byte* const to = p + (m * 16 + h * 8) * Tile::p_pitch + n * 8 * static_cast<int>(sizeof(T));
                const float *const from = s[m][n].r + 2 * h;
                if constexpr (std::is_same_v<T, float>) {
                    reinterpret_cast<float*>(to)[0] = from[0];
                    reinterpret_cast<float*>(to)[4] = from[1];
                } else {
                    *reinterpret_cast<std::uint32_t*>(to) = Atom<T>::pack(from[0], from[1]);
                }
            }
}

/// The same, with the columns of V shared out among warps.
template <class Tile, class Mask, class Args>
struct WideAttentionBody {
    using Arguments = Args;
    static constexpr int threads = Tile::threads, min_blocks = Tile::min_blocks;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Args& a, Tiles work, char* memory) {
        std::byte* const shared = reinterpret_cast<std::byte*>(memory);
        using T = typename Tile::T;
        using A = typename Atom<T>::A;
        std::byte *const key_block = shared + Tile::q_bytes, *const value_block = key_block + Tile::key_bytes,
                         *const p_block = value_block + Tile::value_bytes;
        float* const shared_rows = reinterpret_cast<float*>(p_block + Tile::p_bytes);  // [column warps][rows]

        const WorkTile work_tile = WorkTile::template of<Tile, Mask>(a.grid, work.tile());
        const int warp = warp_index(), lane = lane_index();
        const int warp_row = warp % Tile::row_warps * 16 * Tile::m_tiles, part = warp / Tile::row_warps;
        const int warp_key = part * Tile::warp_keys, tile0 = part * Tile::warp_out_tiles;
        const bool has_keys = warp_key < Tile::keys;
        const auto load = [&](std::byte* to, const auto& from, int block) {
            if (block < work_tile.end)
                load_rows<typename Tile::Row, Tile::keys, Tile::threads>(
                    to, from, KeyRows{work_tile.batch, work_tile.key_head, block * Tile::keys, a.grid.keys});
            copy_commit();
        };
        // Joins a value of every row of which several warps have a share.
        const auto share = [&](float (&x)[Tile::m_tiles][2], auto&& join, auto&& between) {
            if (lane % 4 == 0)
                for (int m = 0; m < Tile::m_tiles; ++m)
                    for (int h = 0; h < 2; ++h)
                        shared_rows[part * Tile::rows + warp_row + m * 16 + h * 8 + lane / 4] = x[m][h];
            block_sync();
            between();
            INLAY_UNROLL
            for (int m = 0; m < Tile::m_tiles; ++m)
                INLAY_UNROLL
                for (int h = 0; h < 2; ++h) {
                    const float* const row = shared_rows + warp_row + m * 16 + h * 8 + lane / 4;
                    x[m][h] = row[0];
                    INLAY_UNROLL
                    for (int i = 1; i < Tile::column_warps; ++i) x[m][h] = join(x[m][h], row[i * Tile::rows]);
                }
        };

        after_previous_kernel();
        load_rows<typename Tile::Row, Tile::rows, Tile::threads>(shared, a.q, work_tile.query_rows());
        load(key_block, a.k, work_tile.begin);
        const Queries<Tile, false> q(shared_address(shared) + warp_row * Tile::pitch + lane_of_rows<Tile::pitch>(lane));
        const std::uint32_t values = shared_address(value_block) + tile0 * 8 * static_cast<int>(sizeof(T)) +
                                     lane_of_v<T, Tile::pitch>(lane);
        std::byte* const p_to =
            p_block + (warp_row + lane / 4) * Tile::p_pitch + warp_key * static_cast<int>(sizeof(T)) + lane % 4 * 4;
        const std::uint32_t p_from =
            shared_address(p_block) + warp_row * Tile::p_pitch + lane_of_rows<Tile::p_pitch>(lane);
        Softmax<Tile::m_tiles> state;
        FragmentC o[Tile::m_tiles][Tile::warp_out_tiles];
#pragma unroll 1
        for (int block = work_tile.begin; block < work_tile.end; ++block) {
            copy_wait<0>();
            block_sync();  // K has arrived; the last reads of V and the probabilities are done
            load(value_block, a.v, block);
            ScoreTile<Tile> s;
            float most[Tile::m_tiles][2], shift[Tile::m_tiles][2];
            if (has_keys) {
                scores<Tile>(s, q, shared_address(key_block) + warp_key * Tile::pitch, lane);
                if (block >= work_tile.masked_from)
                    mask_scores<Tile, Mask>(s, work_tile, work_tile.first_row + warp_row + lane / 4,
                                            block * Tile::keys + warp_key + lane % 4 * 2, a.grid.keys);
                row_maxima<Tile>(s, most);
            } else {
                INLAY_UNROLL
                for (int m = 0; m < Tile::m_tiles; ++m) most[m][0] = most[m][1] = -infinity;
            }
            share(most, [](float x, float y) { return fmaxf(x, y); }, [&] { load(key_block, a.k, block + 1); });
            rescale(state, o, most, a.grid.scale);
            INLAY_UNROLL
            for (int m = 0; m < Tile::m_tiles; ++m)
                INLAY_UNROLL
                for (int h = 0; h < 2; ++h) shift[m][h] = shift_of(state.most[m][h], a.grid.scale);
            if (has_keys) {
                INLAY_UNROLL
                for (int n = 0; n < Tile::key_tiles; ++n) probabilities(s, state, shift, a.grid.scale, n);
                store_probabilities<Tile>(p_to, s);
            }
            copy_wait<1>();
            block_sync();  // V and the probabilities have arrived

            constexpr int steps = Tile::keys / Atom<T>::k, at_once = sizeof(T) == 4 ? 2 : 1;
            INLAY_UNROLL
            for (int i = 0; i < steps; i += at_once) {
                decltype(prepared<T>(A{})) p[at_once][Tile::m_tiles];
                INLAY_UNROLL
                for (int j = 0; j < at_once; ++j)
                    INLAY_UNROLL
                    for (int m = 0; m < Tile::m_tiles; ++m) {
                        A x;
                        load_matrices(x.r, p_from + m * 16 * Tile::p_pitch + (i + j) * 32);
                        p[j][m] = prepared<T>(x);
                    }
                add_values<T, Tile::pitch>(o, p, values + i * Atom<T>::k * Tile::pitch);
            }
        }
        copy_wait<0>();
        state.finish();
        block_sync();
        share(state.sum, [](float x, float y) { return x + y; }, [] {});
        float* const out = reinterpret_cast<float*>(shared);
        epilogue_warps<Tile, 1>(out, o, state, a.grid.scale, warp_row, 0, tile0);
        epilogue_block<Tile, 1>(out, work_tile, a);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
