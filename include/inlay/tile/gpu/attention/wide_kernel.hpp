// SPDX-License-Identifier: Apache-2.0
/// The kernel of attention for heads of more than 256 elements, as in the VAE: warps that share their queries share out
/// the keys of a block for the scores and the columns of V for the output.
#pragma once

#include <inlay/tile/gpu/attention/kernel.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Weights to shared memory, in the order of keys that the fragments of V have: `p` is the lane's row and first
/// key.
template <class Tile>
__device__ INLAY_INLINE void store_weights(std::byte* p, const ScoreTile<Tile>& s) {
    using F = FragmentsOf<Tile>;
    INLAY_UNROLL
    for (int m = 0; m < Tile::m_tiles; ++m)
        INLAY_UNROLL
        for (int n = 0; n < Tile::key_tiles; ++n)
            F::template store_scores<Tile::p_pitch>(p + m * 16 * Tile::p_pitch + F::tile_of_scores(n), s[m][n]);
}

/// The same kernel, with the columns of V shared out among warps.
template <class Tile, class Algebra, class Args, Images In>
struct WideAttentionBody {
    using Arguments = Args;
    static constexpr int threads = Tile::threads, min_blocks = Tile::min_blocks;
    static constexpr Images images = In;
    using State = OnlineState<Algebra, typename Tile::Atom, Tile::m_tiles>;
    using Numbers = NumbersOf<Algebra>;
    using Merged = MergedRows<Tile, State, 1, Numbers>;
    static constexpr int more_bytes = (State::vectors - 1) * Tile::p_bytes;     ///< of weights
    static constexpr int shared =
        larger(larger(Tile::shared, Tile::loop_bytes + more_bytes), Merged::bytes);

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Args& a, Tiles work, char* memory) {
        std::byte* const base = reinterpret_cast<std::byte*>(memory);
        using T = typename Tile::T;
        using Atom = typename Tile::Atom;
        using F = Fragments<Atom>;
        std::byte *const key_block = base + Tile::q_bytes, *const value_block = base + Tile::value_place,
                         *const p_block = base + Tile::p_place;
        // [column warps][rows]
        float* const shared_rows = reinterpret_cast<float*>(p_block + State::vectors * Tile::p_bytes);

        const auto work_tile = work_tile_of<Tile, Algebra>(a.grid, a.env, work.tile());
        const int warp = warp_index(), lane = lane_index();
        const int warp_row = warp % Tile::row_warps * 16 * Tile::m_tiles, part = warp / Tile::row_warps;
        const int warp_key = part * Tile::warp_keys, tile0 = part * Tile::warp_out_tiles;
        const int lane_row = Atom::place_c(lane, 0).row;
        const bool has_keys = warp_key < Tile::keys;
        const auto load = [&]<class Row>(std::type_identity<Row>, std::byte* to, const auto& from, int i) {
            if (i < work_tile.end)
                copy_rows<Row, Tile::keys, Tile::threads>(
                    to, from,
                    KeyRows{work_tile.batch, work_tile.key_head, work_tile.blocks.block(i) * Tile::keys, a.grid.keys});
            copy_commit();
        };
        const auto load_keys = [&](int i) { load(std::type_identity<typename Tile::Row>{}, key_block, a.k, i); };
        const auto load_values = [&](int i) {
            load(std::type_identity<typename Tile::ValueRow>{}, value_block, a.v, i);
        };
        // Joins a value x(m, h) of every row of which several warps have a share.
        const auto share = [&](auto&& x, auto&& join, auto&& between) {
            if (Atom::place_c(lane, 0).column == 0)
                for (int m = 0; m < Tile::m_tiles; ++m)
                    for (int h = 0; h < Atom::c_rows; ++h)
                        shared_rows[part * Tile::tile_rows + warp_row + m * 16 + c_row<Atom>(h) + lane_row] = x(m, h);
            block_sync();
            between();
            INLAY_UNROLL
            for (int m = 0; m < Tile::m_tiles; ++m)
                INLAY_UNROLL
                for (int h = 0; h < Atom::c_rows; ++h) {
                    const float* const row = shared_rows + warp_row + m * 16 + c_row<Atom>(h) + lane_row;
                    float y = row[0];
                    INLAY_UNROLL
                    for (int i = 1; i < Tile::column_warps; ++i) y = join(y, row[i * Tile::tile_rows]);
                    x(m, h) = y;
                }
        };

        after_previous_kernel();
        copy_rows<typename Tile::Row, Tile::rows, Tile::threads>(base, a.q, work_tile.query_rows());
        const Queries<Tile, false> q(shared_address(base) + warp_row * Tile::pitch, lane);
        LaneNumbers<Algebra, Atom, Tile::m_tiles> numbers;
        if constexpr (Numbers::count > 0) {
            copy_commit();
            FirstPasses<Tile, Algebra, Tile::column_warps, decltype(work_tile), Args, Queries<Tile, false>>{
                work_tile, a, q, key_block, reinterpret_cast<float*>(p_block), warp_row, part, lane}
                .run(numbers);
        }
        load_keys(work_tile.begin);
        constexpr int value_pitch = Tile::ValueRow::pitch;
        const std::uint32_t values = shared_address(value_block) + tile0 * Atom::n * static_cast<int>(sizeof(T)) +
                                     F::template lane_of_values<value_pitch>(lane);
        std::byte* const p_to =
            p_block + (warp_row + lane_row) * Tile::p_pitch + F::lane_of_scores(lane, warp_key);
        const std::uint32_t p_from =
            shared_address(p_block) + warp_row * Tile::p_pitch + F::template lane_of_a<Tile::p_pitch>(lane);
        State state(a.grid.scale);
        typename Atom::C o[State::vectors][Tile::m_tiles][Tile::warp_out_tiles];
        const auto places = [&](int key) { return score_places<Atom>(work_tile, a, numbers, warp_row, key, lane); };
#pragma unroll 1
        for (int visit = work_tile.begin; visit < work_tile.end; ++visit) {
            copy_wait<0>();
            block_sync();  // K has arrived; the last reads of V and the weights are done
            if constexpr (!Tile::tight) load_values(visit);
            const int block = work_tile.blocks.block(visit);
            const auto at = places(block * Tile::keys + warp_key);
            ScoreTile<Tile> s[State::vectors];
            typename State::Maxima most;
            if (has_keys) {
                raise_priority();
                scores<Tile>(s[0], q, shared_address(key_block) + warp_key * Tile::pitch, lane);
                lower_priority();
                finish_scores<Tile, Algebra>(s[0], at);
                if (work_tile.blocks.masked(block)) mask_scores<Tile, Algebra>(s[0], at);
                state.raise(s[0], most, at);
            } else {
                INLAY_UNROLL
                for (int i = 0; i < State::maxima; ++i)
                    INLAY_UNROLL
                    for (int m = 0; m < Tile::m_tiles; ++m)
                        INLAY_UNROLL
                        for (int h = 0; h < Atom::c_rows; ++h) most[i][m][h] = -infinity;
            }
            const auto load_next = [&] {
                if constexpr (Tile::tight) load_values(visit);
                else load_keys(visit + 1);
            };
            INLAY_UNROLL
            for (int i = 0; i < State::maxima; ++i) {
                if (i > 0) block_sync();  // the maximum before is read by all
                share([&](int m, int h) -> float& { return most[i][m][h]; },
                      [](float x, float y) { return fmaxf(x, y); }, [&] { if (i == 0) load_next(); });
            }
            if constexpr (State::maxima == 0) {
                block_sync();  // the reads of K are done
                load_next();
            }
            state.advance(o, most, at);
            const auto shift = state.shift();
            if (has_keys) {
                INLAY_UNROLL
                for (int n = 0; n < Tile::key_tiles; ++n) state.weigh(s, shift, n, at);
                INLAY_UNROLL
                for (int v = 0; v < State::vectors; ++v) store_weights<Tile>(p_to + v * Tile::p_bytes, s[v]);
            }
            copy_wait<Tile::tight ? 0 : 1>();
            block_sync();  // V and the weights have arrived

            constexpr int steps = Tile::keys / Atom::k, at_once = sums_in_parts<Atom> ? 2 : 1;
            raise_priority();
            INLAY_UNROLL
            for (int i = 0; i < steps; i += at_once)
                INLAY_UNROLL
                for (int v = 0; v < State::vectors; ++v) {
                    decltype(F::prepared(typename Atom::A{})) p[at_once][Tile::m_tiles];
                    INLAY_UNROLL
                    for (int j = 0; j < at_once; ++j)
                        INLAY_UNROLL
                        for (int m = 0; m < Tile::m_tiles; ++m) {
                            typename Atom::A x;
                            F::template load_a<Tile::p_pitch>(x, p_from + v * Tile::p_bytes + m * 16 * Tile::p_pitch +
                                             (i + j) * Tile::step_bytes);
                            p[j][m] = F::prepared(x);
                        }
                    add_values<T, Atom, typename Tile::ValueRow>(o[v], p, values + i * Atom::k * value_pitch);
                }
            lower_priority();
            if constexpr (Tile::tight) {
                block_sync();
                load_keys(visit + 1);
            }
        }
        copy_wait<0>();
        state.finish();
        INLAY_UNROLL
        for (int i = 0; i < State::sums; ++i) {
            block_sync();
            share([&](int m, int h) -> float& { return state.row[m][h].sum[i]; },
                  [](float x, float y) { return x + y; }, [] {});
        }
        const Merged merged{reinterpret_cast<float*>(base)};
        epilogue_warps(merged, o, state, a.grid.scale, warp_row, 0, tile0, places(0));
        epilogue_block<Tile, Algebra>(merged, work_tile, a);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
