// SPDX-License-Identifier: Apache-2.0
/// The kernel of attention for heads of up to 256 elements, FlashAttention-2 (Dao 2023): a warp keeps 16 or 32
/// queries, their scores against a block of keys and their output in registers; K and V stream through shared memory.
#pragma once

#include <inlay/tile/gpu/attention/cache_scales.hpp>
#include <inlay/tile/gpu/attention/epilogue.hpp>
#include <inlay/tile/gpu/attention/loads/copies.hpp>
#include <inlay/tile/gpu/attention/loads/key_stream.hpp>
#include <inlay/tile/gpu/attention/passes.hpp>
#include <inlay/tile/gpu/attention/scores.hpp>
#include <inlay/tile/gpu/attention/values.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/matrix.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// A tile of queries over its share of the keys.
template <class Tile, class Algebra, class Args, Images In>
struct AttentionBody {
    using Arguments = Args;
    /// Registers are left for a third block on a multiprocessor, where warps copy and plain softmax needs few of them.
    static constexpr bool third = warps_copy<Tile, Args> && Tile::min_blocks == 2 && Tile::stages == 2 &&
                                  Tile::d == 128 && Tile::ValueRow::d == 128 && Algebra::softmax &&
                                  Algebra::scales_out && Algebra::passes::size == 1 && copies_rows<Args>;
    static constexpr int threads = Tile::threads, min_blocks = third ? 3 : Tile::min_blocks;
    static constexpr Images images = In;
    using State = OnlineState<Algebra, typename Tile::Atom, Tile::m_tiles>;
    using Numbers = NumbersOf<Algebra>;
    using Merged = MergedRows<Tile, State, Tile::key_warps, Numbers>;
    static constexpr int tile_bytes = larger(Tile::shared, Merged::bytes), shared = tile_bytes + Tile::barrier_bytes;
    static constexpr int alignment = Tile::row_align;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Args& a, Tiles work, char* memory) {
        std::byte* const base = reinterpret_cast<std::byte*>(memory);
        using Atom = typename Tile::Atom;
        using F = Fragments<Atom>;
        std::byte* const key_stages = base + Tile::q_bytes;

        const auto work_tile = work_tile_of<Tile, Algebra>(a.grid, a.env, work.tile());
        const int warp = warp_index(), lane = lane_index();
        const int warp_row = warp % Tile::row_warps * 16 * Tile::m_tiles, key_warp = warp / Tile::row_warps;
        const int warp_key = key_warp * Tile::warp_keys;
        using Stream = KeyStream<Tile, Args, std::remove_cvref_t<decltype(work_tile)>>;
        Stream stream(a, work_tile, key_stages, base + tile_bytes, warp_key);

        after_previous_kernel();
        stream.begin_early();
        copy_rows<typename Tile::Row, Tile::rows, Tile::threads>(base, a.q, work_tile.query_rows());
        Queries<Tile> q(shared_address(base) + warp_row * Tile::pitch, lane);
        LaneNumbers<Algebra, Atom, Tile::m_tiles> numbers;
        if constexpr (Numbers::count > 0) {
            copy_commit();
            copy_wait<0>();
            block_sync();
            q.load();
            float* const scratch = reinterpret_cast<float*>(key_stages + Tile::key_bytes);
            FirstPasses<Tile, Algebra, Tile::key_warps, decltype(work_tile), Args, Queries<Tile>>{
                work_tile, a, q, key_stages, scratch, warp_row, key_warp, lane}
                .run(numbers);
        }
        stream.begin();

        CacheScales<Tile, Args> cache_scales(a, work_tile);
        State state(a.grid.scale);
        typename Atom::C o[State::vectors][Tile::m_tiles][Tile::ValueRow::out_tiles];
        const auto places = [&](int key) { return score_places<Atom>(work_tile, a, numbers, warp_row, key, lane); };
        if constexpr (Tile::q_in_registers || Stream::of_warps) stream.wait_for_queries();
        if constexpr (Tile::q_in_registers) q.load();
#pragma unroll 1
        for (int visit = work_tile.begin; visit < work_tile.end; ++visit) {
            if constexpr (Tile::scales) cache_scales.load(work_tile.blocks.block(visit) * Tile::keys + warp_key);
            stream.wait_for_keys(visit);

            const int block = work_tile.blocks.block(visit);
            const auto at = places(block * Tile::keys + warp_key);
            const std::uint32_t keys =
                shared_address(key_stages) + stream.place(visit) + warp_key * Tile::KeyRow::row_bytes;
            ScoreTile<Tile> s[State::vectors];
            raise_priority();
            scores<Tile>(s[0], q, keys, lane);
            lower_priority();
            stream.release_keys(visit);
            cache_scales.scale_scores(s[0], q);
            finish_scores<Tile, Algebra>(s[0], at);
            if (work_tile.blocks.masked(block)) mask_scores<Tile, Algebra>(s[0], at);
            typename State::Maxima most;
            state.raise(s[0], most, at);
            state.advance(o, most, at);
            const auto shift = state.shift();
            stream.wait_for_values(visit);

            // Exponentials and products alternate, so that both units have work. A step has tiles of keys, or is a part
            // of one.
            constexpr auto tiles_before = [](int step) { return (step * Atom::k + Atom::n - 1) / Atom::n; };
            constexpr int steps = Tile::warp_keys / Atom::k;
            constexpr int at_once = sums_in_parts<Atom> ? (steps % 4 == 0 ? 4 : 2) : 1;
            using ValueRow = typename Tile::ValueRow;
            const std::uint32_t values = keys + Tile::key_bytes +
                                         warp_key * (ValueRow::row_bytes - Tile::KeyRow::row_bytes) +
                                         ValueRow::place(F::template lane_of_values<ValueRow::pitch>(lane));
            INLAY_UNROLL
            for (int i = 0; i < steps; i += at_once) {
                decltype(F::prepared(typename Atom::A{})) p[State::vectors][at_once][Tile::m_tiles];
                INLAY_UNROLL
                for (int j = 0; j < at_once; ++j) {
                    INLAY_UNROLL
                    for (int n = tiles_before(i + j); n < tiles_before(i + j + 1); ++n) state.weigh(s, shift, n, at);
                    INLAY_UNROLL
                    for (int v = 0; v < State::vectors; ++v)
                        INLAY_UNROLL
                        for (int m = 0; m < Tile::m_tiles; ++m) p[v][j][m] = F::prepared(F::of_scores(s[v][m], i + j));
                }
                raise_priority();
                INLAY_UNROLL
                for (int v = 0; v < State::vectors; ++v)
                    add_values<typename Tile::Cache, Atom, ValueRow>(o[v], p[v], ValueRow::at(values, i * Atom::k, 0));
                lower_priority();
            }
            stream.release_values(visit);
        }
        stream.end();
        state.finish();
        cache_scales.finish(o);
        const Merged merged{reinterpret_cast<float*>(base)};
        epilogue_warps(merged, o, state, a.grid.scale, warp_row, key_warp, 0, places(0));
        epilogue_block<Tile, Algebra>(merged, work_tile, a);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
