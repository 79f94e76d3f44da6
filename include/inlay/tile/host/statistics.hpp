// SPDX-License-Identifier: Apache-2.0
/// Statistics of a sink, from what was stored: mean and squared deviations of each channel, [B, C, 2], or of each row.
#pragma once

#include <inlay/expr/sink.hpp>
#include <inlay/tile/host/norm.hpp>
#include <inlay/tile/host/whole_rows.hpp>

#include <algorithm>

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host {

namespace detail {

inline constexpr index_t side_by_side = 8;      // pixels that are read at once

/// Of n pixels x[i], whose channels are `step` elements apart: the mean of the first ones, and sums of deviations from
/// it and of their squares.
template <class T>
void sum_deviations(const T* const* x, index_t n, index_t channels, index_t step, float* about, float* sums,
                    float* squares) {
    const index_t first = (std::min)(side_by_side, n);
    const auto value = [&](index_t i, index_t j, index_t lanes) {
        if (step == 1 && lanes == host_lanes) return load(x[i] + j);
        fvec v(0.0f);
        for (int l = 0; l < lanes; ++l) v.set(l, from_storage<float>(x[i][(j + l) * step]));
        return v;
    };
    for_lanes(channels, [&](index_t j, index_t lanes) {
        fvec p(0.0f);
        for (index_t i = 0; i < first; ++i) p = p + value(i, j, lanes);
        put(about + j, p * fvec(1.0f / static_cast<float>(first)), lanes);
    });
    std::fill(sums, sums + channels, 0.0f);
    std::fill(squares, squares + channels, 0.0f);
    for (index_t i = 0; i < n; i += side_by_side) {
        const index_t rows = (std::min)(side_by_side, n - i);
        for_lanes(channels, [&](index_t j, index_t lanes) {
            const fvec p = lane(about + j, lanes);
            fvec s = lane(sums + j, lanes), q = lane(squares + j, lanes);
            for (index_t r = 0; r < rows; ++r) {
                const fvec d = value(i + r, j, lanes) - p;
                s = s + d, q = q + d * d;
            }
            put(sums + j, s, lanes), put(squares + j, q, lanes);
        });
    }
}

}  // namespace detail

/// A pass over the output, in blocks of pixels. `workspace` holds their sums while this runs, and is the caller's alone.
///
/// Proof: a block of n pixels has, about any number p, s = Σ (x − p) and q = Σ (x − p)², so that its mean is p + s / n and
/// its squared deviations M = q − s² / n. p is the mean of k of them, so k (p − mean)² ≤ M, and q ≤ M · (1 + n / k):
/// however large the mean is, and whichever pixel is far off, no more cancels. Blocks are merged in fp64, in their order
/// (Chan, Golub, LeVeque 1983).
template <class S>
void publish_stats(Threads& threads, Scratch& workspace, const S& sink) {
    const auto& y = get<inlay::detail::stats_source<typename S::sink>>(sink.outs);
    const auto& stats = get<S::sink::slot>(sink.outs);
    using Y = std::remove_cvref_t<decltype(y)>;
    using T = std::remove_const_t<typename Y::value_type>;
    Extents<Y::rank> item = y.extents;
    const index_t channels = item.back(0), step = y.strides.back(0);
    item[0] = item.back(0) = 1;
    const MomentBlocks blocks{y.extents[0], count(item), channels};
    float* const partial = static_cast<float*>(
        workspace.get(sizeof(float) * static_cast<std::size_t>(blocks.floats() / 2 * 3)));
    float* const centres = partial + blocks.floats();
    threads.parallel_for(blocks.items * blocks.blocks(), [&](index_t task, int) {
        const index_t b = task / blocks.blocks(), block = task % blocks.blocks(), n = blocks.size_of(block);
        const T* x[MomentBlocks::rows];
        for (index_t i = 0; i < n; ++i) {
            Extents<Y::rank> c = unravel(block * MomentBlocks::rows + i, item);
            c[0] = b;
            x[i] = &y(c);
        }
        float* const sums = blocks.at(partial, b, block);
        detail::sum_deviations(x, n, channels, step, centres + task * channels, sums, sums + channels);
    });
    constexpr index_t at_once = 16;
    const index_t pieces = (channels + at_once - 1) / at_once;
    threads.parallel_for(blocks.items * pieces, [&](index_t task, int) {
        const index_t b = task / pieces, c0 = task % pieces * at_once, c = (std::min)(at_once, channels - c0);
        double mean[at_once] = {}, m2[at_once] = {}, seen = 0;
        for (index_t block = 0; block < blocks.blocks(); ++block) {
            const double n = static_cast<double>(blocks.size_of(block)), part = n / (seen + n), weight = seen * part;
            const float* const sums = blocks.at(partial, b, block) + c0;
            const float* const p = centres + (b * blocks.blocks() + block) * channels + c0;
            for (index_t j = 0; j < c; ++j) {
                const double s = static_cast<double>(sums[j]), q = static_cast<double>(sums[channels + j]);
                const double d = static_cast<double>(p[j]) + s / n - mean[j];
                mean[j] += d * part;
                m2[j] += q - s * s / n + d * d * weight;
            }
            seen += n;
        }
        using N = std::remove_reference_t<decltype(stats({{b, c0, 0}}))>;
        for (index_t j = 0; j < c; ++j) {
            stats({{b, c0 + j, 0}}) = to_storage<N>(mean[j]);
            stats({{b, c0 + j, 1}}) = to_storage<N>((std::max)(m2[j], 0.0));
        }
    });
}

/// A record of one part for each row, in a pass over the output.
template <class S>
void publish_row_stats(Threads& threads, const S& sink) {
    const auto& y = get<inlay::detail::row_stats_source<typename S::sink>>(sink.outs);
    const auto& records = get<S::sink::slot>(sink.outs);
    using Y = std::remove_cvref_t<decltype(y)>;
    whole_rows(threads, y.extents, [&](const Extents<Y::rank>& row, index_t n, float* x) {
        Extents<Y::rank> c = row;
        for (index_t j = 0; j < n; ++j, ++c.back(0)) x[j] = from_storage<float>(y(c));
        const Moments m = row_moments(x, n);
        c = row;
        for (const double number : {static_cast<double>(n), static_cast<double>(n), m.mean, m.m2}) {
            records(c) = static_cast<float>(number);
            ++c.back(0);
        }
    });
}

}  // namespace inlay::inline INLAY_ABI::on_host

INLAY_ORDERED_END
