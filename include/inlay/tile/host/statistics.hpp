// SPDX-License-Identifier: Apache-2.0
/// Statistics of a sink, from what was stored: mean and squared deviations of each channel, [B, C, 2], or of each row.
#pragma once

#include <inlay/expr/sink.hpp>
#include <inlay/tile/host/norm.hpp>
#include <inlay/tile/host/whole_rows.hpp>

namespace inlay::inline INLAY_ABI::on_host {

/// A pass over the output. `workspace` holds the moments while this runs, and is the caller's alone.
template <class S>
void publish_stats(Threads& threads, Scratch& workspace, const S& sink) {
    const auto& y = get<inlay::detail::stats_source<typename S::sink>>(sink.outs);
    const auto& stats = get<S::sink::slot>(sink.outs);
    using Y = std::remove_cvref_t<decltype(y)>;
    Extents<Y::rank> item = y.extents;
    const index_t channels = item.back(0);
    item[0] = item.back(0) = 1;
    const MomentBlocks blocks{y.extents[0], count(item), channels};
    float* partial = static_cast<float*>(workspace.get(sizeof(float) * static_cast<std::size_t>(blocks.floats())));
    blocks.collect(threads, partial, [&](index_t b, index_t pixel, float* row) {
        Extents<Y::rank> c = unravel(pixel, item);
        c[0] = b;
        for (index_t j = 0; j < channels; ++j, ++c.back(0)) row[j] = from_storage<float>(y(c));
        return row;
    });
    threads.parallel_for(y.extents[0] * channels, [&](index_t task, int) {
        const index_t b = task / channels, ch = task % channels;
        const Moments m = blocks.merged(partial, b, ch, ch + 1);
        using T = std::remove_reference_t<decltype(stats({{b, ch, 0}}))>;
        stats({{b, ch, 0}}) = to_storage<T>(m.mean);
        stats({{b, ch, 1}}) = to_storage<T>(m.m2);
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
