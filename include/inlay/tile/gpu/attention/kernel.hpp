// SPDX-License-Identifier: Apache-2.0
/// The kernel of attention for heads of up to 256 elements, FlashAttention-2 (Dao 2023): a warp keeps 16 or 32
/// queries, their scores against a block of keys and their output in registers; K and V stream through shared memory.
#pragma once

#include <inlay/tile/gpu/attention/epilogue.hpp>
#include <inlay/tile/gpu/attention/merge.hpp>
#include <inlay/tile/gpu/attention/online_softmax.hpp>
#include <inlay/tile/gpu/attention/operand.hpp>
#include <inlay/tile/gpu/attention/scores.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/matrix.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// A tile of queries over its share of the keys.
template <class Tile, class Mask, class Args, Images In>
struct AttentionBody {
    using Arguments = Args;
    static constexpr int threads = Tile::threads, min_blocks = Tile::min_blocks;
    static constexpr Images images = In;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Args& a, Tiles work, char* memory) {
        std::byte* const shared = reinterpret_cast<std::byte*>(memory);
        using T = typename Tile::T;
        using Atom = typename Tile::Atom;
        using F = Fragments<Atom>;
        constexpr int stage_bytes = 2 * Tile::key_bytes;
        std::byte* const key_stages = shared + Tile::q_bytes;

        const WorkTile work_tile = WorkTile::template of<Tile, Mask>(a.grid, work.tile());
        const int warp = warp_index(), lane = lane_index();
        const int warp_row = warp % Tile::row_warps * 16 * Tile::m_tiles, key_warp = warp / Tile::row_warps;
        const int warp_key = key_warp * Tile::warp_keys;
        using Rows = RowsUnderWay<typename Tile::Row, Tile::keys, Tile::threads>;
        Rows next_keys, next_values;    // on their way while a block of keys is multiplied, where copies stay
        const auto load_keys = [&](int block) {
            if (block < work_tile.end) {
                std::byte* const to = key_stages + (block - work_tile.begin) % Tile::stages * stage_bytes;
                const KeyRows rows{work_tile.batch, work_tile.key_head, block * Tile::keys, a.grid.keys};
                if constexpr (Tile::copies_stay) {
                    next_keys.load(to, a.k, rows);
                    next_values.load(to + Tile::key_bytes, a.v, rows);
                } else {
                    copy_rows<typename Tile::Row, Tile::keys, Tile::threads>(to, a.k, rows);
                    copy_rows<typename Tile::Row, Tile::keys, Tile::threads>(to + Tile::key_bytes, a.v, rows);
                }
            }
            copy_commit();
        };
        const auto land_keys = [&](int block) {
            if constexpr (Tile::copies_stay)
                if (block < work_tile.end) {
                    next_keys.land();
                    next_values.land();
                }
        };

        after_previous_kernel();
        copy_rows<typename Tile::Row, Tile::rows, Tile::threads>(shared, a.q, work_tile.query_rows());
        INLAY_UNROLL
        for (int i = 0; i < Tile::stages - 1; ++i) {
            load_keys(work_tile.begin + i);
            land_keys(work_tile.begin + i);
        }

        Queries<Tile> q(shared_address(shared) + warp_row * Tile::pitch, lane);
        Softmax<Atom, Tile::m_tiles> state;
        typename Atom::C o[Tile::m_tiles][Tile::out_tiles];
        if constexpr (Tile::q_in_registers) {
            copy_wait<Tile::stages - 2>();
            block_sync();
            q.load();
        }
#pragma unroll 1
        for (int block = work_tile.begin; block < work_tile.end; ++block) {
            copy_wait<Tile::stages - 2>();
            block_sync();  // the block has arrived, and the reads of the one that the next one replaces are done
            load_keys(block + Tile::stages - 1);

            const std::uint32_t keys =
                shared_address(key_stages) + (block - work_tile.begin) % Tile::stages * stage_bytes +
                warp_key * Tile::pitch;
            ScoreTile<Tile> s;
            raise_priority();
            scores<Tile>(s, q, keys, lane);
            lower_priority();
            if (block >= work_tile.masked_from)
                mask_scores<Tile, Mask>(s, work_tile, work_tile.first_row + warp_row,
                                        block * Tile::keys + warp_key, a.grid.keys, lane);
            float most[Tile::m_tiles][Atom::c_rows], shift[Tile::m_tiles][Atom::c_rows];
            row_maxima<Atom>(s, most);
            rescale(state, o, most, a.grid.scale);
            shifts_of(state, a.grid.scale, shift);

            // Exponentials and products alternate, so that both units have work. A step has tiles of keys, or is a part
            // of one.
            constexpr auto tiles_before = [](int step) { return (step * Atom::k + Atom::n - 1) / Atom::n; };
            constexpr int steps = Tile::warp_keys / Atom::k;
            constexpr int at_once = sums_in_parts<Atom> ? (steps % 4 == 0 ? 4 : 2) : 1;
            const std::uint32_t values = keys + Tile::key_bytes + F::template lane_of_values<Tile::pitch>(lane);
            INLAY_UNROLL
            for (int i = 0; i < steps; i += at_once) {
                decltype(F::prepared(typename Atom::A{})) p[at_once][Tile::m_tiles];
                INLAY_UNROLL
                for (int j = 0; j < at_once; ++j) {
                    INLAY_UNROLL
                    for (int n = tiles_before(i + j); n < tiles_before(i + j + 1); ++n)
                        probabilities(s, state, shift, a.grid.scale, n);
                    INLAY_UNROLL
                    for (int m = 0; m < Tile::m_tiles; ++m) p[j][m] = F::prepared(F::of_scores(s[m], i + j));
                }
                raise_priority();
                add_values<T, Atom, Tile::pitch>(o, p, values + i * Atom::k * Tile::pitch);
                lower_priority();
            }
            land_keys(block + Tile::stages - 1);
        }
        copy_wait<0>();
        state.finish();
        float* const out = reinterpret_cast<float*>(shared);
        epilogue_warps<Tile, Tile::key_warps>(out, o, state, a.grid.scale, warp_row, key_warp, 0);
        epilogue_block<Tile, Tile::key_warps>(out, work_tile, a);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
