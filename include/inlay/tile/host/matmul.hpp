// SPDX-License-Identifier: Apache-2.0
/// C[b, m, n] = Σ_s Σ_k A[b, m, s, k] · B[b, n, s · K + k], the product under Linear and the implicit GEMM of Conv2D,
/// where a segment s is one filter tap. A comes row by row from a callback, B packed (`pack.hpp`), C leaves row by row.
/// Moves: A once per block of `column_limit` columns, B once per block of rows; 2 · batch · m · n · segments · k FLOPs.
///
/// Factors are fp32, or bf16 where both operands are and the processor multiplies them (`isa.hpp`). Accumulation is
/// fp32 in an order that depends on segments and k alone: neither the number of threads, nor m, n or the batch changes
/// a bit of the result.
#pragma once

#include <inlay/expr/slots.hpp>
#include <inlay/plan/access/product_type.hpp>
#include <inlay/tile/host/amx.hpp>
#include <inlay/tile/host/convert.hpp>
#include <inlay/tile/host/micro.hpp>
#include <inlay/tile/host/pack.hpp>
#include <inlay/tile/host/row.hpp>
#include <inlay/tile/host/threads.hpp>
#include <inlay/tile/shapes.hpp>

#include <algorithm>
#include <cstring>

namespace inlay::inline INLAY_ABI::on_host {

/// The division of a product into work tiles and k-blocks.
struct MatmulPlan {
    index_t rows, columns;          // of C in one work tile; columns are whole panels
    index_t row_blocks, column_blocks;
    index_t depth;                  // of one k-block
    bool crosses;                   // true if a k-block may span segments; else it ends with its own
    index_t row_stride;             // factors from row to row of staged A
    index_t sum_stride;             // floats from row to row of C
    std::size_t pointers_at, staged_at, panel_at, bytes;  // layout of the scratch memory, C first

    static constexpr index_t depth_bytes = 1024;   // of a row: a panel of B and a tile of A fit the first-level cache
    static constexpr index_t tile_depth_limit = 320;  // the same of a panel of B and two tiles of A in tile registers
    static constexpr index_t row_limit = 168;      // staged A and what streams past it fit the second-level cache
    static constexpr index_t column_limit = 2560;  // C of a work tile stays within a few MB
    static constexpr index_t row_floor = 4 * host_tile_rows;
    static constexpr index_t column_step = 32;     // 16 sums of `Out` and 16 of `OutGate` stay in one work tile
    static_assert(column_step % host_panel == 0 && row_limit % host_tile_rows == 0);

    /// `factor_bytes`: of an element as it is multiplied. `step`: rows of K that B holds side by side. `tiles`: true if
    /// tile registers multiply.
    MatmulPlan(const MatmulShape& s, int threads, index_t factor_bytes = sizeof(float), index_t step = 1,
               bool tiles = false) {
        if (tiles) divide_in_tiles(s, threads);
        else divide(s, threads);
        const index_t depth_step = tiles ? amx::tile_depth : 16;

        // Whole segments where several fit, else equal parts of each; segments of odd length share pairs of B.
        const index_t depth_limit = tiles ? tile_depth_limit : depth_bytes / factor_bytes, total = s.segments * s.k;
        const bool several = s.segments > 1 && 2 * s.k <= depth_limit;
        crosses = several || (s.segments > 1 && s.k % step != 0);
        if (several) depth = std::clamp<index_t>(depth_limit / std::max<index_t>(1, s.k), 1, s.segments) * s.k;
        else depth = crosses ? depth_limit : up(s.k, std::max<index_t>(1, up(s.k, depth_limit)));
        if (crosses ? depth < total && depth % step != 0 : depth < s.k) depth = up(depth, depth_step) * depth_step;
        depth = std::max<index_t>(1, depth);
        const index_t row = 64 / factor_bytes;
        row_stride = up(depth, row) * row + row;  // not a power of two: rows spread over the sets of the cache
        // So do rows of sums that a tile register reads at once, by an odd number of lines.
        sum_stride = columns + (tiles && columns / 16 % 2 == 0 ? 16 : 0);

        const auto line = [](std::size_t b) { return (b + 63) / 64 * 64; };
        const index_t room = tiles ? amx::whole_tiles(rows, amx::tile_rows) : rows;
        pointers_at = line(sizeof(float) * static_cast<std::size_t>(room * sum_stride));
        staged_at = pointers_at + line(sizeof(const float*) * static_cast<std::size_t>(rows));
        panel_at = staged_at + line(static_cast<std::size_t>(factor_bytes * room * row_stride));
        bytes = panel_at + sizeof(float) * static_cast<std::size_t>((depth + depth % step) * host_panel);
    }

private:
    static constexpr index_t up(index_t a, index_t b) { return (a + b - 1) / b; }

    void divide_in_tiles(const MatmulShape& s, int threads) {
        const amx::Division d(s, threads);
        rows = d.rows, columns = d.columns;
        row_blocks = up(s.m, rows), column_blocks = up(s.n, columns);
    }
    void divide(const MatmulShape& s, int threads) {
        const index_t all_data = data(s.n);
        row_blocks = up(s.m, row_limit);
        column_blocks = up(all_data * host_panel, column_limit);
        // Enough work tiles to keep the threads evenly busy: shorter blocks of rows first, because each block of
        // columns stages A anew; then fewer columns. A multiple of the threads where that leaves each panel of B, which
        // a block of rows reads from a far cache, some tiles of rows.
        const auto tasks = [&] { return s.batch * row_blocks * column_blocks; };
        if (threads > 1) {
            while (tasks() < 4 * threads && up(s.m, row_blocks * 2) >= row_floor) row_blocks *= 2;
            while (tasks() < 4 * threads && column_blocks * 2 <= all_data) column_blocks *= 2;
            const index_t evenly = up(row_blocks, threads) * threads;
            if (row_blocks > 1 && 2 * up(s.m, evenly) >= row_floor) row_blocks = evenly;
        }
        rows = up(s.m, row_blocks);
        if (row_blocks > 1) rows = up(rows, host_tile_rows) * host_tile_rows;
        row_blocks = up(s.m, rows);
        columns = up(up(all_data, column_blocks) * host_panel, column_step) * column_step;
        column_blocks = up(all_data * host_panel, columns);
        // Narrower where most threads would wait for a few, although a work tile costs as much as 6 columns besides.
        const auto busiest = [&](index_t n) {
            return up(s.batch * row_blocks * up(all_data * host_panel, n), threads) * (n + 6);
        };
        for (index_t n = columns - column_step; n > 0 && tasks() < 4 * threads; n -= column_step)
            if (10 * busiest(n) < 9 * busiest(columns)) columns = n;
        column_blocks = up(all_data * host_panel, columns);
    }
};

/// Scratch memory a worker needs for a product of floats: for `Threads::reserve`.
inline std::size_t matmul_scratch_bytes(const MatmulShape& s, const Threads& threads) {
    return MatmulPlan(s, threads.size()).bytes;
}

namespace detail {

/// One panel of k rows, widened: of pairs where T is multiplied as it is.
template <Storage T>
void widen_panel(const T* packed, index_t k, float* to) {
    if constexpr (depth_step<T> == 1) {
        load_row(packed, to, k * host_panel);
    } else {
        for (index_t i = 0; i < k; i += 2, to += 2 * host_panel)
            for (index_t j = 0; j < host_panel; j += host_lanes, packed += 2 * host_lanes) {
                const isa::pairs x = isa::load_pairs(packed);
                isa::first_of(x).store(to + j);
                isa::second_of(x).store(to + host_panel + j);
            }
    }
}

/// C (+)= A · B over one k-block: m staged rows and the panels of n columns; `packed` is panel 0 at its first k and
/// `panel_stride` elements lead to the next. Weights that are not factors are widened once per panel into `widened`.
/// `behind`: panel 0 of the next k-block.
template <Storage A, Storage W>
void multiply_step(const A* const* a, index_t m, const W* packed, index_t panel_stride, index_t n, index_t k,
                   float* c, index_t ldc, bool accumulate, [[maybe_unused]] float* widened, const W* behind) {
    for (index_t n0 = 0; n0 < n; n0 += host_panel, packed += panel_stride) {
        const index_t columns = std::min<index_t>(host_panel, n - n0);
        // The panels of B do not follow each other in memory.
        const W* const next = n0 + host_panel < n ? packed + panel_stride : behind;
        const index_t next_bytes = next ? k * host_panel * index_t(sizeof(W)) : 0;
        if constexpr (std::same_as<W, A>) {
            multiply_panel(a, m, packed, columns, k + k % depth_step<W>, c + n0, ldc, accumulate, next, next_bytes);
        } else {
            widen_panel(packed, k, widened);
            multiply_panel(a, m, widened, columns, k, c + n0, ldc, accumulate, next, next_bytes);
        }
    }
}

/// Copies m rows of k elements, those that do not lie in their place already. Each row is prefetched some rows ahead:
/// addresses of pixels do not follow each other, and another core may have written them.
template <Storage A>
void copy_rows(const A* const* rows, index_t m, index_t k, A* to, index_t stride) {
    constexpr index_t ahead = 4, line = line_bytes / index_t(sizeof(A));
    for (index_t i = 0; i < m; ++i, to += stride) {
        if (i + ahead < m)
            for (index_t j = 0; j < k; j += line) __builtin_prefetch(rows[i + ahead] + j);
        if (rows[i] != to) std::memcpy(to, rows[i], sizeof(A) * static_cast<std::size_t>(k));
    }
}

/// Rows whose addresses differ by a multiple of this many bytes share the same few lines of the first-level cache.
inline constexpr std::uintptr_t alias_bytes = 2048;

}  // namespace detail

/// A: the type of factors, that of `factor_type`.
/// `stage(batch, m, segment, k0, kn, scratch)` returns the address of kn elements of a row of A: either in place, or
/// evaluated into `scratch` (kn elements). It is called once for each row, k-block and segment in it, in each block of
/// columns.
/// `store(batch, m, n0, nn, acc)` receives nn finished sums of row m from column n0 on; it may change them in place.
/// `weight_batch_stride`: elements between the packed weights of two batches, 0 when all share one.
/// The callbacks run in several threads at once. They must not use `Threads::scratch` of these threads.
/// `Tiles`: tile registers, taken where they are in use.
template <Storage A = float, class Tiles = amx::Processor, Storage W, class StageA, class StoreC>
void matmul(Threads& threads, const MatmulShape& s, StageA&& stage, const W* packed_weights,
            index_t weight_batch_stride, StoreC&& store) {
    if (s.batch <= 0 || s.m <= 0 || s.n <= 0) return;
    constexpr index_t step = depth_step<W>;
    constexpr bool may_use_tiles = amx::multiplies<Tiles, A, W>;
    bool tiles = false;
    if constexpr (may_use_tiles) tiles = Tiles::in_use();
    const MatmulPlan p(s, threads.size(), sizeof(A), step, tiles);
    const index_t total = s.segments * s.k, panel_stride = packed_depth(total) * host_panel;

    threads.parallel_for(s.batch * p.row_blocks * p.column_blocks, [&](index_t task, int worker) {
        char* const memory = static_cast<char*>(threads.scratch(worker, p.bytes));
        float* const c = reinterpret_cast<float*>(memory);
        const A** const row = reinterpret_cast<const A**>(memory + p.pointers_at);
        A* const staged = reinterpret_cast<A*>(memory + p.staged_at);
        float* const widened = reinterpret_cast<float*>(memory + p.panel_at);

        // Neighbouring work tiles share rows of B, which are the larger traffic.
        const index_t row_block = task % p.row_blocks, rest = task / p.row_blocks;
        const index_t n0 = rest % p.column_blocks * p.columns, batch = rest / p.column_blocks;
        const index_t m0 = row_block * p.rows;
        const index_t m = (std::min)(p.rows, s.m - m0), n = (std::min)(p.columns, s.n - n0);
        const W* const weights = packed_weights + batch * weight_batch_stride + n0 / host_panel * panel_stride;

        if (total <= 0) std::memset(c, 0, sizeof(float) * static_cast<std::size_t>(p.rows * p.sum_stride));
        for (index_t from = 0, to = 0; from < total; from = to) {
            const index_t first = from / s.k, k0 = from - first * s.k;
            to = (std::min)(from + p.depth, p.crosses ? total : (first + 1) * s.k);
            const index_t k = to - from;
            const bool in_one = k0 + k <= s.k, padded = k % step != 0;
            // Of one segment, addresses first and copies then.
            const bool at_once = tiles && in_one && !padded;
            for (index_t i = 0; at_once && i < m; ++i)
                row[i] = stage(batch, m0 + i, first, k0, k, staged + i * p.row_stride);
            if (at_once) detail::copy_rows(row, m, k, staged, p.row_stride);
            for (index_t i = 0; !at_once && i < m; ++i) {
                A* const copy = staged + i * p.row_stride;
                const A* in_place = nullptr;
                for (index_t done = 0, segment = first, at = k0; done < k; at = 0, ++segment) {
                    const index_t kn = (std::min)(k - done, s.k - at);
                    in_place = stage(batch, m0 + i, segment, at, kn, copy + done);
                    const bool aliased = i > 0 && (reinterpret_cast<std::uintptr_t>(in_place) -
                                                   reinterpret_cast<std::uintptr_t>(row[i - 1])) %
                                                          detail::alias_bytes == 0;
                    if (!in_one || padded || aliased || tiles) {
                        if (in_place != copy + done)
                            std::memcpy(copy + done, in_place, sizeof(A) * static_cast<std::size_t>(kn));
                        in_place = copy;
                    }
                    done += kn;
                }
                if (padded) copy[k] = to_storage<A>(0.f);
                row[i] = in_place;
            }
            const W* const behind = to < total ? weights + to * host_panel : nullptr;
            if constexpr (may_use_tiles)
                if (tiles) {
                    amx::multiply_step<typename Tiles::Registers, amx::Division::row_limit>(
                        staged, p.row_stride, m, weights + from * host_panel, panel_stride, n, k + k % step, c,
                        p.sum_stride, from > 0, behind);
                    continue;
                }
            detail::multiply_step(row, m, weights + from * host_panel, panel_stride, n, k, c, p.sum_stride, from > 0,
                                  widened, behind);
        }
        for (index_t i = 0; i < m; ++i) store(batch, m0 + i, n0, n, c + i * p.sum_stride);
    });
}

/// Finished sums of row m of C from column j on, n of them, through the epilogue and the sink.
template <class Epilogue, class Sink, class Place>
void store_sums(const Epilogue& epilogue, const Sink& sink, const Place& place, index_t batch, index_t m, index_t j,
                index_t n, const float* acc) {
    auto c = place(batch, m);
    if constexpr (gated<typename Epilogue::expression>) {
        c.back(0) += j / 2;
        epilogue_gated(epilogue, sink, c, n / 2, acc);
    } else {
        c.back(0) += j;
        finish(epilogue, sink, c, n, acc);
    }
}

/// The same of bound operands: rows of A are evaluated as the loop reaches them, sums leave through the epilogue and
/// the sink. `panels`: the weight as `pack_blocks` leaves it. `rows`: a row map into `in`; `place` maps a row of C to
/// the coordinate of its first column.
template <Storage T, class In, class Rows, class Epilogue, class Sink, class Place>
void bound_matmul(Threads& threads, const MatmulShape& s, const T* panels, const In& in, const Rows& rows,
                  const Epilogue& epilogue, const Sink& sink, const Place& place) {
    using A = factor_type<T, product_type<T, In>>;
    const auto input = multiplied_input<A>(in);
    const auto stage = [&](index_t batch, index_t m, index_t segment, index_t k0, index_t n, A* scratch) {
        decltype(place(batch, m)) c;
        if (!rows.at(rows.row(batch, m), segment, c)) {
            std::fill(scratch, scratch + n, to_storage<A>(0.0f));
            return static_cast<const A*>(scratch);
        }
        c.back(0) += k0;
        return read_row(input, c, n, scratch);
    };
    const auto store = [&](index_t batch, index_t m, index_t j, index_t n, const float* acc) {
        store_sums(epilogue, sink, place, batch, m, j, n, acc);
    };
    matmul<A>(threads, s, stage, panels, s.batch > 1 ? packed_size(s.n, s.segments * s.k) : 0, store);
}

}  // namespace inlay::inline INLAY_ABI::on_host
