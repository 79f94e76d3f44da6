// SPDX-License-Identifier: Apache-2.0
/// Group statistics: per channel the sums of differences from the first of a block of pixels, and of their squares,
/// merged in a fixed order. Deterministic whatever the number of threads, and stable however large the mean (Chan,
/// Golub, LeVeque 1983): rounding grows with the deviation, not with the mean.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/tile/host/convert.hpp>
#include <inlay/tile/host/rows.hpp>
#include <inlay/tile/host/threads.hpp>

#include <algorithm>

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host {

/// Adds the differences of a row of n channels from `shift`, and their squares.
inline void accumulate_moments(const float* row, index_t n, const float* shift, float* sum, float* squares) {
    index_t j = 0;
    for (; j + host_lanes <= n; j += host_lanes) {
        const fvec d = fvec::load(row + j) - fvec::load(shift + j);
        (fvec::load(sum + j) + d).store(sum + j);
        (fvec::load(squares + j) + d * d).store(squares + j);
    }
    for (; j < n; ++j) {
        const float d = row[j] - shift[j];
        sum[j] += d;
        squares[j] += d * d;
    }
}

/// Per-channel moments of `pixels` rows of `channels` values, for each of `items`, in blocks of rows:
/// `partial` holds items · blocks · 3 · channels floats: the first row, the sums of differences from it and of their
/// squares.
struct MomentBlocks {
    static constexpr index_t rows = 64;
    index_t items, pixels, channels;
    index_t blocks() const { return (pixels + rows - 1) / rows; }
    index_t floats() const { return items * blocks() * 3 * channels; }
    index_t size_of(index_t block) const { return (std::min)(rows, pixels - block * rows); }
    float* at(float* partial, index_t item, index_t block) const {
        return partial + (item * blocks() + block) * 3 * channels;
    }

    /// `row(item, pixel, scratch)` evaluates one row of channels into scratch.
    template <class Row>
    void collect(Threads& threads, float* partial, Row&& row) const {
        threads.parallel_for(items * blocks(), [&](index_t task, int worker) {
            const index_t item = task / blocks(), block = task % blocks();
            float* scratch = static_cast<float*>(
                threads.scratch(worker, sizeof(float) * static_cast<std::size_t>(channels)));
            float* const shift = at(partial, item, block);
            row(item, block * rows, shift);
            std::fill(shift + channels, shift + 3 * channels, 0.0f);
            for (index_t i = 1; i < size_of(block); ++i) {
                row(item, block * rows + i, scratch);
                accumulate_moments(scratch, channels, shift, shift + channels, shift + 2 * channels);
            }
        });
    }
    /// The moments of channels [first, last) of an item together.
    Moments merged(const float* partial, index_t item, index_t first, index_t last) const {
        Moments m;
        for (index_t b = 0; b < blocks(); ++b) {
            const float* const shift = partial + (item * blocks() + b) * 3 * channels;
            const auto n = static_cast<double>(size_of(b));
            for (index_t c = first; c < last; ++c) {
                const double sum = static_cast<double>(shift[channels + c]), off = sum / n,
                             m2 = static_cast<double>(shift[2 * channels + c]) - sum * off;
                m = merge(m, {size_of(b), static_cast<double>(shift[c]) + off, m2 < 0 ? 0 : m2});
            }
        }
        return m;
    }
};

/// row[j] = (row[j] − mean[j]) · scale[j] + shift[j]
inline void normalise(float* row, index_t n, const float* mean, const float* scale, const float* shift) {
    index_t j = 0;
    for (; j + host_lanes <= n; j += host_lanes)
        ((fvec::load(row + j) - fvec::load(mean + j)) * fvec::load(scale + j) + fvec::load(shift + j)).store(row + j);
    for (; j < n; ++j) row[j] = (row[j] - mean[j]) * scale[j] + shift[j];
}

}  // namespace inlay::inline INLAY_ABI::on_host

INLAY_ORDERED_END
