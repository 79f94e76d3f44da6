// SPDX-License-Identifier: Apache-2.0
/// The loop of attention: work tiles of queries over blocks of keys, the scores never stored as a whole (Dao et al.
/// 2022).
/// Holes: staging of Q, K and V; the blocks to visit; what becomes of a row of scores.
/// Moves: Q once, K and V once per work tile and pass; 2 · batch · queries · visited keys · (d + dv) FLOPs.
///
/// Factors are fp32, or bf16 where Q, K and V all are and the processor multiplies them, to which weights are rounded
/// then; in tile registers where it has them, padded by zeros to their depth. All else is fp32, in an order that depends
/// on the shape and the visited blocks alone.
#pragma once

#include <inlay/core/types.hpp>
#include <inlay/tile/host/attention/pack.hpp>
#include <inlay/tile/host/attention/tile.hpp>
#include <inlay/tile/host/threads.hpp>

#include <algorithm>
#include <new>

namespace inlay::inline INLAY_ABI::on_host {

namespace detail {

/// Products of a work tile's rows with panels in tile registers.
template <class Tiles>
struct TileProducts {
    /// `multiply_in_slices` of rows side by side with all panels of a block.
    static void slices(const bf16* a, index_t a_stride, index_t m, const bf16* panels, index_t n, index_t k, float* c,
                       index_t ldc) {
        for (index_t k0 = 0; k0 < k; k0 += slice_depth)
            amx::multiply_step<typename Tiles::Registers, AttentionPlan::row_limit>(
                a + k0, a_stride, m, panels + k0 * host_panel, k * host_panel, n, (std::min)(slice_depth, k - k0), c,
                ldc, k0 > 0);
    }
    static void product(const float* weights, index_t stride, index_t m, const bf16* panels, index_t n, index_t k,
                        float* c, index_t ldc, bool accumulate) {
        amx::multiply_step<typename Tiles::Registers, AttentionPlan::row_limit>(
            reinterpret_cast<const bf16*>(weights), 2 * stride, m, panels, k * host_panel, n, k, c, ldc, accumulate);
    }
};

/// One pass of a work tile over its blocks of keys. T: the type of factors. `tiles`: true if tile registers multiply.
template <class Pass, class T, class Tiles, class Rows, class Blocks, class StageK, class StageV>
void attend(const AttentionScratch& scratch, const AttentionShape& s, const Rows& rows, const Blocks& blocks,
            index_t batch, index_t query0, index_t count, StageK&& k, StageV&& v, [[maybe_unused]] bool tiles) {
    constexpr bool may_use_tiles = amx::multiplies<Tiles, T, T>;
    using Row = typename Rows::Row;
    const AttentionPlan& p = scratch.plan;
    const T **const q_row = scratch.pointers<T>(), **const weight_row = q_row + p.rows;
    T *const keys = scratch.factors<T>(p.k_at), *const values = scratch.factors<T>(p.v_at),
      *const spare = scratch.factors<T>(p.row_at);
    const index_t unit = tiles ? amx::tile_depth : depth_step<T>, d = amx::whole_tiles(s.d, unit);
    float *weights[room_for<Rows::weights>], *outs[room_for<Rows::vectors>];
    const auto point_at = [&](index_t row) {
        for (int i = 0; i < Rows::weights; ++i) weights[i] = scratch.weight(i, row);
        for (int i = 0; i < Rows::vectors; ++i) outs[i] = scratch.out(i, row);
    };
    const int visited = blocks.count();
    for (int visit = 0; visit < visited; ++visit) {
        const int block = blocks.block(visit);
        const index_t key0 = block * p.key_block, n = (std::min)(p.key_block, s.keys - key0);
        for (index_t j0 = 0; j0 < n; j0 += host_panel) {
            const T* row[host_panel];
            const index_t some = std::min<index_t>(host_panel, n - j0);
            for (index_t j = 0; j < some; ++j) row[j] = k(batch, key0 + j0 + j, spare + j * s.d);
            pack_columns(row, some, s.d, d, keys + j0 * d);
            if (!tiles)
                multiply_in_slices(q_row, count, keys + j0 * d, some, d, scratch.weight(0, 0) + j0, p.score_stride);
        }
        if constexpr (may_use_tiles)
            if (tiles)
                TileProducts<Tiles>::slices(q_row[0], p.q_stride, count, keys, n, d, scratch.weight(0, 0),
                                            p.score_stride);
        const index_t depth = amx::whole_tiles(n, unit);
        if constexpr (Pass::vectors > 0)
            pack_values([&](index_t j, T* row) { return v(batch, key0 + j, row); }, n, depth, s.dv, spare, values);
        for (index_t i = 0; i < count; ++i) {
            point_at(i);
            rows.template weigh<Pass>(scratch.state<Row>(i), {batch, query0 + i, key0, n, blocks.masked(block)},
                                      weights, outs);
            if constexpr (Pass::vectors > 0)
                for (int w = 0; w < Rows::weights; ++w) as_factors<T>(weights[w], n, depth);
        }
        for (int i = 0; i < Pass::vectors; ++i) {
            if constexpr (may_use_tiles)
                if (tiles) {
                    TileProducts<Tiles>::product(scratch.weight(Pass::weight_of[i], 0), p.score_stride, count, values,
                                                 s.dv, depth, scratch.out(i, 0), p.out_stride, visit > 0);
                    continue;
                }
            for (index_t r = 0; r < count; ++r)
                weight_row[r] = reinterpret_cast<const T*>(scratch.weight(Pass::weight_of[i], r));
            for (index_t n0 = 0; n0 < s.dv; n0 += host_panel)
                multiply_panel(weight_row, count, values + n0 * depth, std::min<index_t>(host_panel, s.dv - n0), depth,
                               scratch.out(i, 0) + n0, p.out_stride, visit > 0);
        }
    }
    for (index_t i = 0; i < count; ++i) {
        point_at(i);
        if (visited == 0)
            for (int o = 0; o < Pass::vectors; ++o) std::fill_n(outs[o], p.out_stride, 0.f);
        rows.template end<Pass>(scratch.state<Row>(i), batch, query0 + i, outs);
    }
}

}  // namespace detail

/// T: the type of factors, that of `factor_type`.
/// `q(batch, query, scratch)`, `k(batch, key, scratch)` and `v(batch, key, scratch)` return the address of d (for v:
/// dv) factors, in place or evaluated into `scratch`; the caller maps a batch of queries to one of keys (grouped
/// queries).
/// `visits(batch, query0, queries, size)` gives the blocks of `size` keys that some of these queries see, in the order
/// of the keys: `count()`, `block(i)`, and `masked(block)` where not all see all of it. No other block is staged.
/// `rows`: `start(batch, query)` gives the state of a row, `passes` the passes over the keys; each calls
/// `weigh<Pass>(row, keys, weights, out)` for a block, which turns scores in `weights[0]` into weights and rescales
/// `out`, and `end<Pass>(row, batch, query, out)` behind the last. `Pass::weight_of`: the weight of each sum with V.
/// The callbacks run in several threads at once. They must not use `Threads::scratch` of these threads.
/// `Tiles`: tile registers, taken where they are in use.
template <class T = float, class Tiles = amx::Processor, class Rows, class Visits, class StageQ, class StageK,
          class StageV>
void attention(Threads& threads, const AttentionShape& s, const Rows& rows, const Visits& visits, StageQ&& q,
               StageK&& k, StageV&& v) {
    if (s.batch <= 0 || s.queries <= 0 || s.dv <= 0) return;
    using Row = typename Rows::Row;
    static_assert(std::is_trivially_destructible_v<Row> && alignof(Row) <= 64);
    const AttentionPlan p(s, {Rows::weights, Rows::vectors, sizeof(Row)});
    bool tiles = false;
    if constexpr (amx::multiplies<Tiles, T, T>) tiles = Tiles::in_use();
    const index_t d = amx::whole_tiles(s.d, tiles ? amx::tile_depth : depth_step<T>);

    threads.parallel_for(s.batch * p.blocks, [&](index_t task, int worker) {
        const AttentionScratch scratch{p, static_cast<char*>(threads.scratch(worker, p.bytes))};
        // The last blocks first: under a causal mask they are the longest.
        const index_t batch = task / p.blocks, block = p.blocks - 1 - task % p.blocks;
        const index_t query0 = block * p.rows, count = (std::min)(p.rows, s.queries - query0);
        for (index_t i = 0; i < count; ++i) {
            T* const copy = scratch.query<T>(i);
            const T*& row = scratch.pointers<T>()[i] = q(batch, query0 + i, copy);
            if (tiles || d > s.d) {
                if (row != copy) std::copy_n(row, s.d, copy);
                std::fill(copy + s.d, copy + d, to_storage<T>(0.f));
                row = copy;
            }
            new (&scratch.state<Row>(i)) Row(rows.start(batch, query0 + i));
        }
        const auto blocks = visits(batch, query0, count, p.key_block);
        [&]<class... Pass>(types<Pass...>) {
            (detail::attend<Pass, T, Tiles>(scratch, s, rows, blocks, batch, query0, count, k, v, tiles), ...);
        }(typename Rows::passes{});
    });
}

}  // namespace inlay::inline INLAY_ABI::on_host
