// SPDX-License-Identifier: Apache-2.0
/// Passes over the keys before the last one, for the numbers of rows that TwoPass nodes hold: scores alone, computed again
/// in each pass. Every block of threads takes all keys that its queries visit, also where blocks share the last pass.
#pragma once

#include <inlay/tile/gpu/attention/loads/copies.hpp>
#include <inlay/tile/gpu/attention/online_state.hpp>
#include <inlay/tile/gpu/attention/scores.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// An algebra as the state of a pass needs it.
template <class R>
struct PassOf {
    using row = R;
};

/// A warp's place in the passes of a tile. `Parts` warps share out the keys of a block.
template <class Tile, class Algebra, int Parts, class Work, class Args, class Q>
struct FirstPasses {
    using Atom = typename Tile::Atom;
    using Numbers = LaneNumbers<Algebra, Atom, Tile::m_tiles>;
    const Work& work_tile;
    const Args& a;
    const Q& q;
    std::byte* keys;            ///< room for a block of keys
    float* scratch;             ///< and for maxima and sums, [Parts][tile rows] of each
    int warp_row, part, lane;

    __device__ INLAY_INLINE void run(Numbers& numbers) const { run_all(numbers, typename Algebra::passes{}); }

private:
    template <class Last>
    __device__ INLAY_INLINE void run_all(Numbers&, types<Last>) const {}
    template <class R, class... More>
        requires(sizeof...(More) > 0)
    __device__ INLAY_INLINE void run_all(Numbers& numbers, types<R, More...>) const {
        run_one<R>(numbers);
        run_all(numbers, types<More...>{});
    }
    template <class R>
    __device__ INLAY_INLINE void run_one(Numbers& numbers) const {
        using State = OnlineState<PassOf<R>, Atom, Tile::m_tiles, false>;
        constexpr int rows = Tile::tile_rows;
        static_assert(4 * Parts * rows * (State::maxima + State::sums) <= Tile::value_bytes);
        const int warp_key = part * Tile::warp_keys;
        State state(0.0f);
#pragma unroll 1
        for (int visit = 0; visit < work_tile.blocks.count; ++visit) {
            const int block = work_tile.blocks.block(visit);
            block_sync();  // the reads of the block before are done
            copy_rows<typename Tile::KeyRow, Tile::keys, Tile::threads>(
                keys, a.k, KeyRows{work_tile.batch, work_tile.key_head, block * Tile::keys, a.grid.keys});
            copy_commit();
            copy_wait<0>();
            block_sync();
            if (warp_key >= Tile::keys) continue;
            const auto at = score_places<Atom>(work_tile, a, numbers, warp_row, block * Tile::keys + warp_key, lane);
            ScoreTile<Tile> s[1];
            scores<Tile>(s[0], q, shared_address(keys) + warp_key * Tile::KeyRow::pitch, lane);
            finish_scores<Tile, Algebra>(s[0], at);
            if (work_tile.blocks.masked(block)) mask_scores<Tile, Algebra>(s[0], at);
            typename State::Maxima most;
            typename Atom::C none[1][Tile::m_tiles][1];
            state.raise(s[0], most, at);
            state.advance(none, most, at);
            INLAY_UNROLL
            for (int n = 0; n < Tile::key_tiles; ++n) state.weigh(s, state.shift(), n, at);
        }
        state.finish();

        const auto first = Atom::place_c(lane, 0);
        const auto each_row = [&](auto&& f) {
            INLAY_UNROLL
            for (int m = 0; m < Tile::m_tiles; ++m)
                INLAY_UNROLL
                for (int h = 0; h < Atom::c_rows; ++h) f(m, h, warp_row + m * 16 + c_row<Atom>(h) + first.row);
        };
        const auto place = [&](int i, int p, int row) -> float& { return scratch[(i * Parts + p) * rows + row]; };
        if (first.column == 0)
            each_row([&](int m, int h, int row) {
                INLAY_UNROLL
                for (int i = 0; i < State::maxima; ++i) place(i, part, row) = state.row[m][h].most[i];
                INLAY_UNROLL
                for (int i = 0; i < State::sums; ++i) place(State::maxima + i, part, row) = state.row[m][h].sum[i];
            });
        block_sync();
        const auto at = score_places<Atom>(work_tile, a, numbers, warp_row, 0, lane);
        each_row([&](int m, int h, int row) {
            typename State::Row all;
            INLAY_UNROLL
            for (int p = 0; p < Parts; ++p) {
                typename State::Row other;
                INLAY_UNROLL
                for (int i = 0; i < State::maxima; ++i) other.most[i] = place(i, p, row);
                INLAY_UNROLL
                for (int i = 0; i < State::sums; ++i) other.sum[i] = place(State::maxima + i, p, row);
                constexpr int weights = online::detail::room_for<typename R::weights>;
                float by[weights], by_other[weights];
                all.combine(other, by, by_other, at.leaves(m, h));
            }
            put(numbers.row[m][h], all, at.leaves(m, h), typename R::outputs{});
        });
        block_sync();
    }
    template <class To, class Row, class At, class... E>
    __device__ INLAY_INLINE static void put(To& to, const Row& row, const At& at, types<E...>) {
        using Operands = typename operands_of_passes<typename Algebra::passes>::type;
        int i = 0;
        ((to.of[inlay::detail::index_in<Operands, E>] = output<E, types<E...>>(row, at), ++i), ...);
    }
    template <class E, class List, class Row, class At>
    __device__ INLAY_INLINE static float output(const Row& row, const At& at) {
        return row.template output<inlay::detail::index_in<List, E>>(nullptr, at);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
