// SPDX-License-Identifier: Apache-2.0
/// Group statistics: partial means and squared deviations per channel over blocks of pixels, merged in a fixed order.
/// Deterministic whatever the number of threads, and stable however large the mean (Chan, Golub, LeVeque 1983).
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/tile/host/convert.hpp>
#include <inlay/tile/host/rows.hpp>
#include <inlay/tile/host/threads.hpp>

#include <algorithm>

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host {

/// Adds row number `seen` (from 1) of n channels to their running means and squared deviations (Welford).
inline void accumulate_moments(const float* row, index_t n, index_t seen, float* mean, float* m2) {
    const float by = 1.0f / static_cast<float>(seen);
    index_t j = 0;
    for (; j + host_lanes <= n; j += host_lanes) {
        const fvec x = fvec::load(row + j), m = fvec::load(mean + j), d = x - m, next = m + d * fvec(by);
        next.store(mean + j);
        (fvec::load(m2 + j) + d * (x - next)).store(m2 + j);
    }
    for (; j < n; ++j) {
        const float d = row[j] - mean[j];
        mean[j] += d * by;
        m2[j] += d * (row[j] - mean[j]);
    }
}

/// Per-channel moments of `pixels` rows of `channels` values, for each of `items`, in blocks of rows:
/// `partial` holds items · blocks · 2 · channels floats, mean before M2.
struct MomentBlocks {
    static constexpr index_t rows = 64;
    index_t items, pixels, channels;
    index_t blocks() const { return (pixels + rows - 1) / rows; }
    index_t floats() const { return items * blocks() * 2 * channels; }
    index_t size_of(index_t block) const { return (std::min)(rows, pixels - block * rows); }
    float* at(float* partial, index_t item, index_t block) const {
        return partial + (item * blocks() + block) * 2 * channels;
    }

    /// `row(item, pixel, scratch)` returns the address of a row of channels: where it lies, or evaluated into scratch.
    template <class Row>
    void collect(Threads& threads, float* partial, Row&& row) const {
        threads.parallel_for(items * blocks(), [&](index_t task, int worker) {
            const index_t item = task / blocks(), block = task % blocks();
            float* scratch = static_cast<float*>(
                threads.scratch(worker, sizeof(float) * static_cast<std::size_t>(channels)));
            float* mean = at(partial, item, block);
            std::fill(mean, mean + 2 * channels, 0.0f);
            for (index_t i = 0; i < size_of(block); ++i) {
                const float* const x = row(item, block * rows + i, scratch);
                accumulate_moments(x, channels, i + 1, mean, mean + channels);
            }
        });
    }
    /// The moments of channels [first, last) of an item together.
    Moments merged(const float* partial, index_t item, index_t first, index_t last) const {
        Moments m;
        for (index_t b = 0; b < blocks(); ++b) {
            const float* mean = partial + (item * blocks() + b) * 2 * channels;
            for (index_t c = first; c < last; ++c)
                m = merge(m, {size_of(b), static_cast<double>(mean[c]), static_cast<double>(mean[channels + c])});
        }
        return m;
    }
};

/// row[j] = (x[j] − mean[j]) · scale[j] + shift[j]; x may be row.
inline void normalise(const float* x, float* row, index_t n, const float* mean, const float* scale,
                      const float* shift) {
    index_t j = 0;
    for (; j + host_lanes <= n; j += host_lanes)
        ((fvec::load(x + j) - fvec::load(mean + j)) * fvec::load(scale + j) + fvec::load(shift + j)).store(row + j);
    for (; j < n; ++j) row[j] = (x[j] - mean[j]) * scale[j] + shift[j];
}

}  // namespace inlay::inline INLAY_ABI::on_host

INLAY_ORDERED_END
