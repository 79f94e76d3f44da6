// SPDX-License-Identifier: Apache-2.0
/// The kernel of attention for heads of more than 256 elements, as in the VAE: warps that share their queries share out
/// the keys of a block for the scores and the columns of V for the output.
#pragma once

#include <inlay/tile/gpu/attention/kernel.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Probabilities to shared memory, in the order of keys that the fragments of V have: `p` is the lane's row and first
/// key.
template <class Tile>
__device__ INLAY_INLINE void store_probabilities(std::byte* p, const ScoreTile<Tile>& s) {
    using F = FragmentsOf<Tile>;
    INLAY_UNROLL
    for (int m = 0; m < Tile::m_tiles; ++m)
        INLAY_UNROLL
        for (int n = 0; n < Tile::key_tiles; ++n)
            F::template store_scores<Tile::p_pitch>(p + m * 16 * Tile::p_pitch + F::tile_of_scores(n), s[m][n]);
}

/// The same kernel, with the columns of V shared out among warps.
template <class Tile, class Mask, class Args, Images In>
struct WideAttentionBody {
    using Arguments = Args;
    static constexpr int threads = Tile::threads, min_blocks = Tile::min_blocks;
    static constexpr Images images = In;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Args& a, Tiles work, char* memory) {
        std::byte* const shared = reinterpret_cast<std::byte*>(memory);
        using T = typename Tile::T;
        using Atom = typename Tile::Atom;
        using F = Fragments<Atom>;
        std::byte *const key_block = shared + Tile::q_bytes, *const value_block = shared + Tile::value_place,
                         *const p_block = shared + Tile::p_place;
        float* const shared_rows = reinterpret_cast<float*>(p_block + Tile::p_bytes);  // [column warps][rows]

        const WorkTile work_tile = WorkTile::template of<Tile, Mask>(a.grid, work.tile());
        const int warp = warp_index(), lane = lane_index();
        const int warp_row = warp % Tile::row_warps * 16 * Tile::m_tiles, part = warp / Tile::row_warps;
        const int warp_key = part * Tile::warp_keys, tile0 = part * Tile::warp_out_tiles;
        const int lane_row = Atom::place_c(lane, 0).row;
        const bool has_keys = warp_key < Tile::keys;
        const auto load = [&](std::byte* to, const auto& from, int block) {
            if (block < work_tile.end)
                copy_rows<typename Tile::Row, Tile::keys, Tile::threads>(
                    to, from, KeyRows{work_tile.batch, work_tile.key_head, block * Tile::keys, a.grid.keys});
            copy_commit();
        };
        // Joins a value of every row of which several warps have a share.
        const auto share = [&](float (&x)[Tile::m_tiles][Atom::c_rows], auto&& join, auto&& between) {
            if (Atom::place_c(lane, 0).column == 0)
                for (int m = 0; m < Tile::m_tiles; ++m)
                    for (int h = 0; h < Atom::c_rows; ++h)
                        shared_rows[part * Tile::tile_rows + warp_row + m * 16 + c_row<Atom>(h) + lane_row] = x[m][h];
            block_sync();
            between();
            INLAY_UNROLL
            for (int m = 0; m < Tile::m_tiles; ++m)
                INLAY_UNROLL
                for (int h = 0; h < Atom::c_rows; ++h) {
                    const float* const row = shared_rows + warp_row + m * 16 + c_row<Atom>(h) + lane_row;
                    x[m][h] = row[0];
                    INLAY_UNROLL
                    for (int i = 1; i < Tile::column_warps; ++i) x[m][h] = join(x[m][h], row[i * Tile::tile_rows]);
                }
        };

        after_previous_kernel();
        copy_rows<typename Tile::Row, Tile::rows, Tile::threads>(shared, a.q, work_tile.query_rows());
        load(key_block, a.k, work_tile.begin);
        const Queries<Tile, false> q(shared_address(shared) + warp_row * Tile::pitch, lane);
        const std::uint32_t values = shared_address(value_block) + tile0 * Atom::n * static_cast<int>(sizeof(T)) +
                                     F::template lane_of_values<Tile::pitch>(lane);
        std::byte* const p_to =
            p_block + (warp_row + lane_row) * Tile::p_pitch + F::lane_of_scores(lane, warp_key);
        const std::uint32_t p_from =
            shared_address(p_block) + warp_row * Tile::p_pitch + F::template lane_of_a<Tile::p_pitch>(lane);
        Softmax<Atom, Tile::m_tiles> state;
        typename Atom::C o[Tile::m_tiles][Tile::warp_out_tiles];
#pragma unroll 1
        for (int block = work_tile.begin; block < work_tile.end; ++block) {
            copy_wait<0>();
            block_sync();  // K has arrived; the last reads of V and the probabilities are done
            if constexpr (!Tile::tight) load(value_block, a.v, block);
            ScoreTile<Tile> s;
            float most[Tile::m_tiles][Atom::c_rows], shift[Tile::m_tiles][Atom::c_rows];
            if (has_keys) {
                raise_priority();
                scores<Tile>(s, q, shared_address(key_block) + warp_key * Tile::pitch, lane);
                lower_priority();
                if (block >= work_tile.masked_from)
                    mask_scores<Tile, Mask>(s, work_tile, work_tile.first_row + warp_row,
                                            block * Tile::keys + warp_key, a.grid.keys, lane);
                row_maxima<Atom>(s, most);
            } else {
                INLAY_UNROLL
                for (int m = 0; m < Tile::m_tiles; ++m)
                    INLAY_UNROLL
                    for (int h = 0; h < Atom::c_rows; ++h) most[m][h] = -infinity;
            }
            share(most, [](float x, float y) { return fmaxf(x, y); }, [&] {
                if constexpr (Tile::tight) load(value_block, a.v, block);
                else load(key_block, a.k, block + 1);
            });
            rescale(state, o, most, a.grid.scale);
            shifts_of(state, a.grid.scale, shift);
            if (has_keys) {
                INLAY_UNROLL
                for (int n = 0; n < Tile::key_tiles; ++n) probabilities(s, state, shift, a.grid.scale, n);
                store_probabilities<Tile>(p_to, s);
            }
            copy_wait<Tile::tight ? 0 : 1>();
            block_sync();  // V and the probabilities have arrived

            constexpr int steps = Tile::keys / Atom::k, at_once = sums_in_parts<Atom> ? 2 : 1;
            raise_priority();
            INLAY_UNROLL
            for (int i = 0; i < steps; i += at_once) {
                decltype(F::prepared(typename Atom::A{})) p[at_once][Tile::m_tiles];
                INLAY_UNROLL
                for (int j = 0; j < at_once; ++j)
                    INLAY_UNROLL
                    for (int m = 0; m < Tile::m_tiles; ++m) {
                        typename Atom::A x;
                        F::load_a(x, p_from + m * 16 * Tile::p_pitch + (i + j) * Tile::step_bytes);
                        p[j][m] = F::prepared(x);
                    }
                add_values<T, Atom, Tile::pitch>(o, p, values + i * Atom::k * Tile::pitch);
            }
            lower_priority();
            if constexpr (Tile::tight) {
                block_sync();
                load(key_block, a.k, block + 1);
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
