// SPDX-License-Identifier: Apache-2.0
/// The statistics a `WithStats` sink publishes, from what was stored: one kernel, which reads the output once. Blocks
/// share the pixels of an item and a range of channels; the last one to finish merges them, in a fixed order.
#pragma once

#include <inlay/exec/tensor.hpp>
#include <inlay/tile/cuda/launch.hpp>
#include <inlay/tile/cuda/moments.hpp>
#include <inlay/tile/cuda/pixels.hpp>
#include <inlay/tile/cuda/team.hpp>
#include <inlay/tile/cuda/vector.hpp>

#include <algorithm>

namespace inlay::inline INLAY_ABI::cuda {

/// [items, pixels, channels] over blocks: a thread has 8 channels and every `rows`-th pixel of a slab.
struct StatsPlan {
    static constexpr int threads = 256, lanes = 8, widest = 64;  ///< channels of a range: 128 bytes of a 16-bit type

    index_t pixels;
    int channels, ranges, columns, rows, team;

    static StatsPlan of(const Device& d, index_t items, index_t pixels, index_t channels) {
        const int columns = static_cast<int>(std::min<index_t>(channels + lanes - 1, widest)) / lanes;
        const int ranges = static_cast<int>((channels + columns * lanes - 1) / (columns * lanes));
        const int rows = threads / columns;
        const index_t filling = std::max<index_t>(1, 4 * d.multiprocessors / (items * ranges));
        const index_t most = std::max<index_t>(1, pixels / (4 * rows));
        return {pixels, static_cast<int>(channels), ranges, columns, rows, static_cast<int>(std::min(filling, most))};
    }
    INLAY_FN int span() const { return columns * lanes; }
};

/// `partial`: [tasks][team][span]. `counters`: one a task.
template <class T, int R, class Pixels>
__global__ void __launch_bounds__(StatsPlan::threads)
    stats_kernel(const StatsPlan p, const Tensor<T, R> y, const Pixels pixels, const Tensor<float, 3> stats,
                 PartMoments* partial, std::uint32_t* counters) {
    constexpr int lanes = StatsPlan::lanes;
    __shared__ PartMoments rows[StatsPlan::threads * lanes];
    const int thread = static_cast<int>(threadIdx.x), column = thread % p.columns, row = thread / p.columns;
    const int task = static_cast<int>(blockIdx.x) / p.team, member = static_cast<int>(blockIdx.x) % p.team;
    const int item = task / p.ranges, begin = task % p.ranges * p.span(), channel = begin + column * lanes;
    const int n = p.channels - channel < lanes ? p.channels - channel : lanes;
    const index_t end = p.pixels * (member + 1) / p.team;
    if (row < p.rows) {
        ChannelMoments<lanes> m;
        if (n > 0)
            for (index_t i = p.pixels * member / p.team + row; i < end; i += p.rows)
                m.add(load_lanes<lanes>(&y(pixels.at(item, i, channel)), y.strides.back(0), 0, n));
        INLAY_UNROLL
        for (int i = 0; i < lanes; ++i)
            rows[row * p.span() + column * lanes + i] = {m.n, m.mean.v[i], m.m2.v[i]};
    }
    __syncthreads();
    PartMoments* of_task = partial + index_t(task) * p.team * p.span();
    if (thread < p.span()) {
        PartMoments m{};
        for (int r = 0; r < p.rows; ++r) m.merge(rows[r * p.span() + thread]);
        of_task[member * p.span() + thread] = m;
    }
    if (!last_of(counters + task, p.team) || thread >= p.span() || begin + thread >= p.channels) return;
    PartMoments m{};
    for (int i = 0; i < p.team; ++i) m.merge(of_task[i * p.span() + thread]);
    stats({{item, begin + thread, 0}}) = m.mean;
    stats({{item, begin + thread, 1}}) = m.m2;
}

/// Mean of each channel of each item and the sum of squared deviations from it, where the sink asks for them.
template <class Sink>
void publish_stats(Launcher& l, const Sink& sink) {
    using S = typename Sink::sink;
    if constexpr (inlay::detail::is_stats<S>) {
        const auto& y = get<detail::stored_slot<S>>(sink.outs);
        const auto& stats = get<S::slot>(sink.outs);
        using Y = std::remove_cvref_t<decltype(y)>;
        constexpr int R = Y::rank;
        if (count(y.extents) == 0) return;
        const index_t items = y.extents[0], channels = y.extents[R - 1];
        const StatsPlan p = StatsPlan::of(l.device(), items, y.size() / (items * channels), channels);
        const index_t tasks = items * p.ranges;
        const auto launch = [&](const auto& pixels) {
            const auto parts = static_cast<std::size_t>(tasks * p.team * p.span());
            l.launch({.blocks = tasks * p.team, .threads = StatsPlan::threads},
                     stats_kernel<typename Y::value_type, R, std::remove_cvref_t<decltype(pixels)>>, p, y, pixels,
                     stats, static_cast<PartMoments*>(l.workspace(sizeof(PartMoments) * parts)),
                     l.semaphores(static_cast<std::size_t>(tasks)));
        };
        if (flat_extents(y.extents) && detail::flat_tensor(y, y.extents)) launch(FlatPixels<R>{});
        else launch(AnyPixels<R>(y.extents));
    }
}

}  // namespace inlay::inline INLAY_ABI::cuda
