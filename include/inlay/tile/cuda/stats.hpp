// SPDX-License-Identifier: Apache-2.0
/// The statistics a `WithStats` sink publishes, from what was stored: one kernel, which reads the output once. Blocks
/// share the pixels of an item and a range of channels; the last one to finish merges them, in a fixed order.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/exec/tensor.hpp>
#include <inlay/tile/cuda/launch.hpp>
#include <inlay/tile/cuda/moments.hpp>
#include <inlay/tile/cuda/pixels.hpp>
#include <inlay/tile/cuda/team.hpp>
#include <inlay/tile/cuda/vector.hpp>

namespace inlay::inline INLAY_ABI::cuda {

/// [items, pixels, channels] over blocks: a thread has 8 channels and every `rows`-th pixel of a slab.
struct StatsPlan {
    static constexpr int threads = 256, lanes = 8, widest = 64;  ///< channels of a range: 128 bytes of a 16-bit type

    index_t pixels;
    int channels, ranges, columns, rows, team;

    static StatsPlan of(const Device& d, index_t items, index_t pixels, index_t channels) {
        const int columns = static_cast<int>(smaller<index_t>(channels + lanes - 1, widest)) / lanes;
        const int ranges = static_cast<int>((channels + columns * lanes - 1) / (columns * lanes));
        const int rows = static_cast<int>(smaller<index_t>(threads / columns, pixels));
        const index_t filling = larger<index_t>(1, 4 * d.multiprocessors / (items * ranges));
        const index_t most = larger<index_t>(1, pixels / (4 * rows));
        return {pixels, static_cast<int>(channels), ranges, columns, rows, static_cast<int>(smaller(filling, most))};
    }
    INLAY_FN int span() const { return columns * lanes; }
    /// At least a pixel for each row: `of` sees to it.
    INLAY_FN index_t first_pixel(int member) const { return pixels * member / team; }
};

/// `partial`: [tasks][team][span]. `counters`: one a task.
template <class T, int R, class Pixels>
__global__ void __launch_bounds__(StatsPlan::threads)
    stats_kernel(const StatsPlan p, const Tensor<T, R> y, const Pixels pixels, const Tensor<float, 3> stats,
                 MeanM2* partial, std::uint32_t* counters) {
    constexpr int lanes = StatsPlan::lanes;
    __shared__ MeanM2 rows[StatsPlan::threads * lanes];
    const int thread = static_cast<int>(threadIdx.x), column = thread % p.columns, row = thread / p.columns;
    const int task = static_cast<int>(blockIdx.x) / p.team, member = static_cast<int>(blockIdx.x) % p.team;
    const int item = task / p.ranges, begin = task % p.ranges * p.span(), channel = begin + column * lanes;
    const int n = p.channels - channel < lanes ? p.channels - channel : lanes;
    const index_t first = p.first_pixel(member), end = p.first_pixel(member + 1);
    after_previous_kernel();
    if (row < p.rows && n > 0) {
        const auto load = [&](index_t i) {
            return load_lanes<lanes>(&y(pixels.at(item, i, channel)), y.strides.back(0), 0, n);
        };
        ChannelSums<lanes> sums;
        sums.k = load(first + row);
        for (index_t i = first + row; i < end; i += p.rows) sums.add(load(i));
        const float steps = static_cast<float>((end - first - row + p.rows - 1) / p.rows);
        INLAY_UNROLL
        for (int i = 0; i < lanes; ++i) rows[row * p.span() + column * lanes + i] = sums[i].moments(steps);
    }
    __syncthreads();
    MeanM2* of_task = partial + index_t(task) * p.team * p.span();
    if (thread < p.span()) {
        const auto about = [&](float k) {
            ShiftedSums s{k};
            for (int r = 0; r < p.rows; ++r)
                s.add(static_cast<float>((end - first - r + p.rows - 1) / p.rows), rows[r * p.span() + thread]);
            return s.moments(static_cast<float>(end - first));
        };
        of_task[member * p.span() + thread] = about(about(rows[thread].mean).mean);
    }
    if (!last_of(counters + task, p.team) || thread >= p.span() || begin + thread >= p.channels) return;
    const auto about = [&](float k) {
        ShiftedSums s{k};
        for (int i = 0; i < p.team; ++i)
            s.add(static_cast<float>(p.first_pixel(i + 1) - p.first_pixel(i)), of_task[i * p.span() + thread]);
        return s.moments(static_cast<float>(p.pixels));
    };
    const MeanM2 m = about(about(of_task[thread].mean).mean);
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
            l.launch({.blocks = tasks * p.team, .threads = StatsPlan::threads, .overlaps = true},
                     stats_kernel<typename Y::value_type, R, std::remove_cvref_t<decltype(pixels)>>, p, y, pixels,
                     stats, static_cast<MeanM2*>(l.workspace(sizeof(MeanM2) * parts)),
                     l.semaphores(static_cast<std::size_t>(tasks)));
        };
        if (flat_extents(y.extents) && detail::flat_tensor(y, y.extents)) launch(FlatPixels<R>{});
        else launch(AnyPixels<R>(y.extents));
    }
}

}  // namespace inlay::inline INLAY_ABI::cuda
