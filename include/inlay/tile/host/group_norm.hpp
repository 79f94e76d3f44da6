// SPDX-License-Identifier: Apache-2.0
/// GroupNorm: moments of blocks of pixels first, then every row shifted and scaled by a table [items][3][channels] of
/// means, scales and shifts. Reads its input twice, in place where it lies as rows of floats, or three times where the
/// mean dwarfs the deviation.
#pragma once

#include <inlay/core/math.hpp>
#include <inlay/tile/host/norm.hpp>
#include <inlay/tile/host/row.hpp>
#include <inlay/tile/host/whole_rows.hpp>

#include <atomic>

namespace inlay::inline INLAY_ABI::on_host {

/// `workspace` holds the moments and the table while this runs, and is the caller's alone.
template <int Groups, int R, class G, class B, class In, class Epilogue, class Sink>
void group_norm(Threads& threads, Scratch& workspace, const Extents<R>& e, double eps, const G& gamma, const B& beta,
                const In& in, const Epilogue& epilogue, const Sink& sink) {
    if (count(e) == 0) return;
    const index_t channels = e.back(0), width = channels / Groups;
    Extents<R> item = e;
    item[0] = item.back(0) = 1;
    const MomentBlocks blocks{e[0], count(item), channels};
    const auto at = [&](index_t b, index_t pixel) {
        Extents<R> c = unravel(pixel, item);
        c[0] = b;
        return c;
    };
    float* partial = static_cast<float*>(
        workspace.get(sizeof(float) * static_cast<std::size_t>(blocks.floats() + e[0] * (3 * channels + Groups))));
    float* table = partial + blocks.floats();
    float* const refined = table + e[0] * 3 * channels;     // [items][groups]: 1 where the mean dwarfs the deviation
    const auto each_group = [&](const auto& use) {
        threads.parallel_for(e[0] * Groups, [&](index_t task, int) {
            const index_t b = task / Groups, first = task % Groups * width;
            const Moments m = blocks.merged(partial, b, first, first + width);
            use(table + b * 3 * channels, first, m, 1.0 / math::sqrt(m.variance() + eps), refined[task]);
        });
    };
    std::atomic<bool> again = false;
    blocks.collect(threads, partial, [&](index_t b, index_t pixel, float* row) {
        return read_row(in, at(b, pixel), channels, row);
    });
    each_group([&](float* t, index_t first, const Moments& m, double rstd, float& refine) {
        constexpr double large = 2;  // deviations: beyond, one pass is up to 1.5 times as far off as PyTorch's x·a + b
        refine = m.mean * m.mean > large * large * m.variance();
        if (refine != 0) again = true;
        for (index_t c = first; c < first + width; ++c) {
            t[c] = static_cast<float>(m.mean);
            t[channels + c] = static_cast<float>(rstd * from_storage<double>(gamma({{c}})));
            t[2 * channels + c] = from_storage<float>(beta({{c}}));
        }
    });
    if (again) {
        // A running mean is rounded like the mean, which shows where that dwarfs the deviation: once more about it, and
        // what is left of the mean goes with β. Each group decides for itself, so that no item depends on the others.
        blocks.collect(threads, partial, [&](index_t b, index_t pixel, float* row) {
            evaluate_row(in, at(b, pixel), channels, row);
            for (index_t j = 0; j < channels; ++j) row[j] -= table[b * 3 * channels + j];
            return row;
        });
        each_group([&](float* t, index_t first, const Moments& m, double rstd, const float& refine) {
            if (refine == 0) return;
            for (index_t c = first; c < first + width; ++c) {
                const double scale = rstd * from_storage<double>(gamma({{c}}));
                t[channels + c] = static_cast<float>(scale);
                t[2 * channels + c] = static_cast<float>(from_storage<double>(beta({{c}})) - m.mean * scale);
            }
        });
    }
    whole_rows(threads, e, [&](const Extents<R>& c, index_t n, float* row) {
        const float* t = table + c[0] * 3 * channels;
        normalise(read_row(in, c, n, row), row, n, t, t + channels, t + 2 * channels);
        finish(epilogue, sink, c, n, row);
    });
}

}  // namespace inlay::inline INLAY_ABI::on_host
