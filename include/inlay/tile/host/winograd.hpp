// SPDX-License-Identifier: Apache-2.0
/// Convolutions of fp32 by Winograd's minimal filtering (Winograd 1980; Lavin and Gray 2015): a tile of 2×2 outputs
/// takes 16 products a channel in place of 36 under 3×3 taps, and 9 in place of 16 under 2×2.
///
/// Three steps for some tiles at a time: pixels are evaluated and transformed, once for all columns; for each point of
/// the transform a product over channels by the micro kernel; sums are transformed back and leave row by row as of
/// every product. Weights are transformed from their panels (`pack.hpp`) as a k-block needs them: that takes 3 to 12%
/// of the products' time, memory of nothing, and moves 9 numbers of a filter where transformed ones would be 16.
/// Moves: pixels twice, weights once for each `tiles_limit` bytes of tiles, results once.
///
/// A k-block is short, as each of its sums is one chain of additions: with 64 terms, 32 of few channels, the result is
/// as near to fp64 as PyTorch's own kernel. The order of sums depends on channels alone: neither threads, other tiles
/// nor the batch change a bit. A number that is not finite makes outputs of any tile that reads it NaN.
#pragma once

#include <inlay/expr/slots.hpp>
#include <inlay/plan/gemm/winograd.hpp>
#include <inlay/tile/host/filtering.hpp>
#include <inlay/tile/host/lanes.hpp>
#include <inlay/tile/host/matmul.hpp>
#include <inlay/tile/host/micro.hpp>
#include <inlay/tile/host/pack.hpp>
#include <inlay/tile/host/row.hpp>
#include <inlay/tile/host/threads.hpp>

#include <algorithm>

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host {

/// The division of a convolution into tiles, steps of some of them, and work tiles of a step.
template <int Taps>
struct WinogradPlan {
    static constexpr int points = detail::Filtering<Taps>::points, all_points = points * points;
    static constexpr index_t depth_limit = host_lanes > 4 ? 64 : 32;  ///< without FMAs each product rounds, too
    static constexpr index_t strip_limit = 16;          ///< tiles that are transformed at once, side by side
    static constexpr index_t block_limit = 8 * host_tile_rows;
    static constexpr index_t column_limit = 256;
    static constexpr index_t tiles_limit = 8 << 20;     ///< bytes: transformed pixels stay in the last cache
    static constexpr index_t line = 48;                 ///< floats that keep points apart in the sets of a cache

    index_t depth;                          // channels of a k-block
    index_t rows, across, height, width;    // rows of tiles of all images, tiles of a row; pixels of a result
    index_t strips, strip;                  // of a row of tiles, and tiles of one
    index_t blocks_k, step_strips, tiles;   // k-blocks; strips and tiles of a step at most
    index_t block, columns;                 // of a work tile
    index_t point_stride, block_stride;     // of transformed pixels, floats
    index_t weight_stride, sum_stride;      // of a work tile's transformed weights and of its sums, floats

    /// Of few channels a k-block is half as long: its chain is most of their error.
    WinogradPlan(const MatmulShape& s, const Extents<4>& pixels, int threads)
        : depth(s.k <= 6 * depth_limit ? depth_limit / 2 : depth_limit), height(pixels[1]), width(pixels[2]) {
        const auto up = [](index_t a, index_t b) { return (a + b - 1) / b; };
        across = up(width, 2);
        rows = pixels[0] * up(height, 2);
        strips = up(across, strip_limit);
        strip = up(across, strips);
        strips = up(across, strip);
        blocks_k = up(s.k, depth);
        const index_t most = std::max<index_t>(
            block_limit, tiles_limit / index_t(sizeof(float)) / (all_points * blocks_k * depth));
        const index_t steps = up(rows * strips * strip, most);
        step_strips = up(rows * strips, steps);
        tiles = step_strips * strip;
        index_t blocks = up(tiles, block_limit);
        // Narrow work tiles where they keep the threads evenly busy.
        constexpr index_t unit = MatmulPlan::column_step;
        const index_t units = up(s.n, unit);
        index_t wide = column_limit / unit;
        while (wide > 1 && threads > 1 && blocks * up(units, wide) < 6 * threads) wide /= 2;
        columns = up(units, up(units, wide)) * unit;
        // Shorter ones where most threads would wait for a few, although each transforms weights, as costly as 4 tiles.
        const auto busiest = [&](index_t n) { return up(n * up(s.n, columns), threads) * (up(tiles, n) + 4); };
        for (index_t n = blocks + 1, most_blocks = 2 * blocks; wide == 1 && n <= most_blocks; ++n)
            if (10 * busiest(n) < 9 * busiest(blocks)) blocks = n;
        block = up(tiles, blocks);
        point_stride = tiles * depth + line;
        block_stride = all_points * point_stride;
        weight_stride = depth * host_panel + line;
        sum_stride = block * host_panel + line;
    }
    index_t steps() const { return (rows * strips + step_strips - 1) / step_strips; }
    /// The number of tiles before a strip.
    index_t first_tile(index_t s) const { return s / strips * across + s % strips * strip; }

    /// Bytes of a step's transformed pixels.
    std::size_t workspace_bytes() const { return sizeof(float) * static_cast<std::size_t>(blocks_k * block_stride); }
    /// Floats of a strip: its pixels, of which columns of tiles share one in two, transformed along their columns.
    index_t strip_floats() const { return points * (depth + (2 * strip + Taps - 1) * depth); }
    index_t work_floats() const { return all_points * (weight_stride + sum_stride) + 4 * block * columns; }
};

namespace detail {

/// Evaluates and transforms the pixels of some tiles side by side, k0 … k0 + kn − 1 of their channels.
/// `to`: the first tile at point 0. `first`: the pixel under the first tap of the first output.
template <int Taps, class Rows, class In>
void transform_pixels(const WinogradPlan<Taps>& p, const Rows& rows, const In& in, typename Rows::Row first,
                      index_t tiles, index_t k0, index_t kn, float* scratch, float* to) {
    using F = Filtering<Taps>;
    constexpr int points = F::points;
    static constexpr float nothing[WinogradPlan<Taps>::depth_limit] = {};
    const index_t depth = p.depth;
    float* const columns = scratch + points * depth;    // [pixel][point][depth]
    const index_t pixels = 2 * tiles + Taps - 1;
    const int y = first.y, x = first.x;
    for (index_t j = 0; j < pixels; ++j) {
        const float* d[F::room];
        for (int i = 0; i < points; ++i) {
            first.y = y + i, first.x = x + static_cast<int>(j);
            Extents<4> c;
            d[i] = nothing;
            if (!rows.at(first, 0, c)) continue;
            c[3] += k0;
            d[i] = read_row(in, c, kn, scratch + i * depth);
        }
        float* const column = columns + j * points * depth;
        for_lanes(kn, [&](index_t l, index_t lanes) {
            fvec a[F::room], v[F::room];
            unrolled<points>([&](auto i) __attribute__((always_inline)) { a[i] = lane(d[i] + l, lanes); });
            F::pixels(a, v);
            unrolled<points>([&](auto i) __attribute__((always_inline)) { v[i].store(column + i * depth + l); });
        });
    }
    for (index_t t = 0; t < tiles; ++t, to += depth)
        for (int i = 0; i < points; ++i) {
            const float* const from = columns + 2 * t * points * depth + i * depth;
            float* const at = to + i * points * p.point_stride;
            for (index_t l = 0; l < kn; l += host_lanes) {
                fvec a[F::room], v[F::room];
                unrolled<points>([&](auto j) __attribute__((always_inline)) {
                    a[j] = fvec::load(from + j * points * depth + l);
                });
                F::pixels(a, v);
                unrolled<points>([&](auto j) __attribute__((always_inline)) {
                    v[j].store(at + j * p.point_stride + l);
                });
            }
        }
}

/// The outputs of `tiles` tiles, those of a step from `tile` on, at columns n0 … n0 + n − 1: `to`, four rows a tile.
template <int Taps>
void filter_tiles(const WinogradPlan<Taps>& p, const float* pixels, index_t tile, index_t tiles, const float* panels,
                  index_t k, index_t panel_stride, index_t n, float* memory, float* to) {
    using P = WinogradPlan<Taps>;
    const index_t depth = p.depth;
    const float* row[P::block_limit];
    float* const weights = memory;
    float* const sums = memory + P::all_points * p.weight_stride;
    for (index_t n0 = 0; n0 < n; n0 += host_panel, panels += panel_stride) {
        const index_t columns = std::min<index_t>(host_panel, n - n0);
        for (index_t b = 0; b < p.blocks_k; ++b) {
            const index_t k0 = b * depth, kn = (std::min)(depth, k - k0);
            transform_weights<Taps>(panels + k0 * host_panel, k * host_panel, kn, weights, p.weight_stride);
            // Prefetched while products run: weights of the next k-block, tap by tap, where they pass few tiles; else
            // pixels of the next point.
            const float* const next = b + 1 < p.blocks_k    ? panels + (k0 + depth) * host_panel
                                      : n0 + host_panel < n ? panels + panel_stride
                                                            : nullptr;
            const index_t next_rows = (std::min)(depth, b + 1 < p.blocks_k ? k - k0 - depth : k);
            const bool few = tiles <= 3 * host_tile_rows;
            for (int f = 0; f < P::all_points; ++f) {
                const float* const from = pixels + b * p.block_stride + f * p.point_stride + tile * depth;
                for (index_t t = 0; t < tiles; ++t) row[t] = from + t * depth;
                const void* ahead = few ? nullptr : from + p.point_stride;
                index_t bytes = few ? 0 : tiles * depth * index_t(sizeof(float));
                if (few && next && f < Taps * Taps) {
                    ahead = next + f * k * host_panel;
                    bytes = next_rows * host_panel * index_t(sizeof(float));
                }
                multiply_panel(row, tiles, weights + f * p.weight_stride, columns, kn, sums + f * p.sum_stride,
                               host_panel, b > 0, ahead, bytes);
            }
        }
        transform_sums<Taps>(sums, p.sum_stride, tiles, columns, to + n0, p.columns);
    }
}

}  // namespace detail

/// Bytes of workspace of a convolution.
template <class Rows>
std::size_t winograd_bytes(const MatmulShape& s, const Rows& rows, const Threads& threads) {
    return WinogradPlan<Rows::window::rows>(s, rows.pixels, threads.size()).workspace_bytes();
}

/// The product of bound operands that `winograd_refused` does not refuse, as `bound_matmul` has it. `workspace`, of as
/// many bytes as the plan says, holds transformed pixels while this runs and is the caller's alone.
template <class In, class Rows, class Epilogue, class Sink, class Place>
void bound_winograd(Threads& threads, float* workspace, const MatmulShape& s, const float* panels, const In& in,
                    const Rows& rows, const Epilogue& epilogue, const Sink& sink, const Place& place) {
    constexpr int taps = Rows::window::rows;
    using P = WinogradPlan<taps>;
    const P p(s, rows.pixels, threads.size());
    const index_t all_strips = p.rows * p.strips, column_blocks = (s.n + p.columns - 1) / p.columns;
    const index_t total = s.segments * s.k, panel_stride = packed_depth(total) * host_panel;
    const index_t tile_rows = (p.height + 1) / 2;
    // The pixel of a tile's first output, as a row of the product.
    const auto pixel = [&](index_t tile) {
        const index_t r = tile / p.across, image = r / tile_rows;
        return (image * p.height + r % tile_rows * 2) * p.width + tile % p.across * 2;
    };
    for (index_t batch = 0; batch < s.batch; ++batch)
        for (index_t step = 0; step < p.steps(); ++step) {
            const index_t strip0 = step * p.step_strips, strips = (std::min)(p.step_strips, all_strips - strip0);
            const index_t tile0 = p.first_tile(strip0), tiles = p.first_tile(strip0 + strips) - tile0;
            threads.parallel_for(strips * p.blocks_k, [&](index_t task, int worker) {
                float* const scratch = static_cast<float*>(
                    threads.scratch(worker, sizeof(float) * static_cast<std::size_t>(p.strip_floats())));
                const index_t strip = strip0 + task / p.blocks_k, b = task % p.blocks_k, k0 = b * p.depth;
                const index_t first = p.first_tile(strip);
                detail::transform_pixels<taps>(p, rows, in, rows.row(batch, pixel(first)),
                                               p.first_tile(strip + 1) - first, k0, (std::min)(p.depth, s.k - k0),
                                               scratch, workspace + b * p.block_stride + (first - tile0) * p.depth);
            });
            const index_t blocks = (tiles + p.block - 1) / p.block;
            threads.parallel_for(blocks * column_blocks, [&](index_t task, int worker) {
                float* const memory = static_cast<float*>(
                    threads.scratch(worker, sizeof(float) * static_cast<std::size_t>(p.work_floats())));
                float* const out = memory + P::all_points * (p.weight_stride + p.sum_stride);
                // Neighbouring work tiles share weights, which are the larger traffic.
                const index_t t0 = task % blocks * p.block, n0 = task / blocks * p.columns;
                const index_t m = (std::min)(p.block, tiles - t0), n = (std::min)(p.columns, s.n - n0);
                detail::filter_tiles<taps>(p, workspace, t0, m,
                                           panels + batch * packed_size(s.n, total) + n0 / host_panel * panel_stride,
                                           s.k, panel_stride, n, memory, out);
                for (index_t t = 0; t < m; ++t) {
                    const index_t tile = tile0 + t0 + t, x = tile % p.across * 2,
                                  y = tile / p.across % tile_rows * 2, at = pixel(tile);
                    for (index_t i = 0; i < 4; ++i)
                        if (y + i / 2 < p.height && x + i % 2 < p.width)
                            store_sums(epilogue, sink, place, batch, at + i / 2 * p.width + i % 2, n0, n,
                                       out + (4 * t + i) * p.columns);
                }
            });
        }
}

}  // namespace inlay::inline INLAY_ABI::on_host

INLAY_ORDERED_END
