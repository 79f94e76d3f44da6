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

    /// `row(item, pixel, first, n, scratch)` returns the address of n channels of a row from `first` on: where they lie,
    /// or evaluated into scratch. Threads share channels where there are fewer blocks than threads: the moments of each
    /// are the same.
    template <class Row>
    void collect(Threads& threads, float* partial, Row&& row) const {
        constexpr index_t least = 4 * host_lanes;  // channels that pay for their part of a task
        const auto up = [](index_t a, index_t b) { return (a + b - 1) / b; };
        const index_t each = std::max<index_t>(1, items * blocks());
        const index_t width = up(up(channels, up(threads.size(), each)), least) * least, slices = up(channels, width);
        threads.parallel_for(items * blocks() * slices, [&](index_t task, int worker) {
            const index_t first = task % slices * width, n = (std::min)(width, channels - first);
            const index_t item = task / slices / blocks(), block = task / slices % blocks();
            float* scratch = static_cast<float*>(
                threads.scratch(worker, sizeof(float) * static_cast<std::size_t>(width)));
            float* const mean = at(partial, item, block) + first;
            float* const m2 = mean + channels;
            std::fill(mean, mean + n, 0.0f);
            std::fill(m2, m2 + n, 0.0f);
            for (index_t i = 0; i < size_of(block); ++i) {
                const float* const x = row(item, block * rows + i, first, n, scratch);
                accumulate_moments(x, n, i + 1, mean, m2);
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
