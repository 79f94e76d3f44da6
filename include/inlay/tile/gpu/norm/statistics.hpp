// SPDX-License-Identifier: Apache-2.0
/// The statistics a `WithStats` sink publishes, from the stored result: one kernel, which reads the output once. Blocks
/// share the pixels of an item and a range of channels; the last one to finish merges them, in a fixed order.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/exec/tensor.hpp>
#include <inlay/tile/gpu/block/arrival.hpp>
#include <inlay/tile/gpu/block/moments.hpp>
#include <inlay/tile/gpu/chunk/packed.hpp>
#include <inlay/tile/gpu/index/pixels.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// [items, pixels, channels] over blocks: a thread has a chunk of `lanes` channels and every `rows`-th pixel of a
/// block's share.
template <int Lanes>
struct StatsPlan {
    static constexpr int threads = 256, lanes = Lanes, widest = 8;  ///< chunks of a range: 128 bytes
    static constexpr int blocks = 2;            ///< of a multiprocessor, by the registers they take
    static constexpr int fewest = 8;            ///< pixels of a thread where blocks share an item

    index_t pixels, each;       ///< of an item; of a block, but for the last one
    int channels, ranges, columns, rows, team;

    static StatsPlan of(const Device& d, index_t items, index_t pixels, index_t channels) {
        int columns = 1;
        while (columns < widest && columns * lanes < channels) columns *= 2;
        const int ranges = static_cast<int>((channels + columns * lanes - 1) / (columns * lanes));
        const int rows = threads / columns;
        const index_t filling = larger<index_t>(1, index_t(blocks) * d.multiprocessors / (items * ranges));
        const index_t most = larger<index_t>(1, pixels / (rows * fewest));
        const index_t each = (pixels + smaller(filling, most) - 1) / smaller(filling, most);
        const index_t team = (pixels + each - 1) / each;
        return {pixels, each, static_cast<int>(channels), ranges, columns, rows, static_cast<int>(team)};
    }
    INLAY_FN int span() const { return columns * lanes; }
    INLAY_FN index_t first_pixel(int member) const { return each * member; }
    INLAY_FN index_t pixels_of(int member) const { return member + 1 < team ? each : pixels - each * member; }
};

namespace detail {

/// Moments of the channels of a span in shared memory, by several threads that each have some of their values: four
/// lanes of neighbouring numbers merge those of a channel.
template <int Lanes>
struct SharedMoments {
    using P = StatsPlan<Lanes>;
    MeanM2 of[larger(P::threads / narrowest_warp * P::widest * Lanes, P::threads)];
    float counts[P::threads / Lanes];       ///< of each such thread; `of`: [thread][channel]

    /// Channels of a warp; `even` where a span always fills whole warps.
    static constexpr int of_warp = warp_size / 4;
    static constexpr bool even = Lanes % of_warp == 0;

    static __device__ INLAY_INLINE int channel() { return thread_index() / 4; }
    __device__ INLAY_INLINE CountedMoments<1> merged(int who, int span) const {
        CountedMoments<1> m;
        for (int i = thread_index() % 4; i < who; i += 4) {
            int own = channel();
            if constexpr (!even) own = (::min)(own, span - 1);
            const MeanM2 one = of[i * span + own];
            m.merge({counts[i], one.mean, one.m2});
        }
        m.merge_lane(1);
        m.merge_lane(2);
        return m;
    }
};

/// Reads chunks of a tensor as they are stored, if all of them are whole and aligned.
template <class T>
struct StoredChunks {
    static constexpr bool possible = std::is_same_v<T, fp16> || std::is_same_v<T, bf16> || std::is_same_v<T, float>;
    static constexpr int at_once = 8;       ///< under way
    using type = uint4;

    __device__ INLAY_INLINE static uint4 load(const T* p) { return *reinterpret_cast<const uint4*>(p); }
    __device__ INLAY_INLINE static Vec<float, chunk_of<T>> floats(const uint4& x) { return chunk_floats<T>(x); }
};
/// Reads up to a chunk of elements, `step` apart.
template <class T>
struct AnyChunks {
    static constexpr int at_once = 1;
    using type = Vec<float, chunk_of<T>>;
    index_t step;
    int n;

    __device__ INLAY_INLINE type load(const T* p) const { return load_lanes<chunk_of<T>>(p, step, 0, n); }
    __device__ INLAY_INLINE static const type& floats(const type& x) { return x; }
};

/// The moments of a chunk of channels over the pixels first, first + apart, ... < end, which lie at `at` of them.
template <int N, class Chunks, class At>
__device__ INLAY_INLINE CountedMoments<N> moments_of_pixels(index_t first, index_t end, int apart, const Chunks& chunks,
                                                            const At& at) {
    constexpr int at_once = Chunks::at_once;
    ChannelSums<N> sums{0.0f};     // a thread without pixels has a mean of 0, which counts for nothing
    float n = 0;
    for (index_t i = first; i < end; i += at_once * apart) {
        typename Chunks::type x[at_once];
        INLAY_UNROLL
        for (int k = 0; k < at_once; ++k) x[k] = chunks.load(at(i + k * apart < end ? i + k * apart : i));
        if (i == first) sums.k = Chunks::floats(x[0]);
        INLAY_UNROLL
        for (int k = 0; k < at_once; ++k)
            if (i + k * apart < end) sums.add(Chunks::floats(x[k])), n += 1;
    }
    CountedMoments<N> m{n};
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) {
        const MeanM2 one = sums[i].moments(fmaxf(n, 1.0f));
        m.mean.v[i] = one.mean, m.m2.v[i] = one.m2;
    }
    return m;
}

}  // namespace detail

/// `partial`: [tasks][team][span]. `counters`: one a task.
template <class T, int R, class Pixels>
struct StatsBody {
    struct Arguments {
        StatsPlan<chunk_of<T>> p;
        Tensor<T, R> y;
        Pixels pixels;
        Tensor<float, 3> stats;
        MeanM2* partial;
        std::uint32_t* counters;
    };
    static constexpr int threads = StatsPlan<chunk_of<T>>::threads, min_blocks = StatsPlan<chunk_of<T>>::blocks;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char*) {
        const auto& [p, y, pixels, stats, partial, counters] = arguments;
        constexpr int lanes = chunk_of<T>;
        __shared__ detail::SharedMoments<lanes> shared;
        const int thread = thread_index(), column = thread % p.columns, row = thread / p.columns,
                  span = p.span();
        const int task = work.tile() / p.team, member = work.tile() % p.team;
        const int item = task / p.ranges, begin = task % p.ranges * span, channel = begin + column * lanes;
        const int n = p.channels - channel < lanes ? p.channels - channel : lanes;
        const index_t first = p.first_pixel(member), end = first + p.pixels_of(member);
        after_previous_kernel();
        const auto at = [&](index_t i) { return &y(pixels.at(item, i, channel)); };
        CountedMoments<lanes> m;
        if (n > 0) {
            bool dense = false;
            if constexpr (detail::StoredChunks<T>::possible) {
                dense = n == lanes && y.strides.back(0) == 1 && is_aligned(y.data, 16);
                INLAY_UNROLL
                for (int i = 0; i + 1 < R; ++i) dense = dense && y.strides[i] % lanes == 0;
                if (dense)
                    m = detail::moments_of_pixels<lanes>(first + row, end, p.rows, detail::StoredChunks<T>{}, at);
            }
            if (!dense)
                m = detail::moments_of_pixels<lanes>(first + row, end, p.rows,
                                                     detail::AnyChunks<T>{y.strides.back(0), n}, at);
        }
        // A column without channels has the other columns' counts, and moments that are not read.
        m.n = static_cast<float>(end - first > row ? (end - first - row + p.rows - 1) / p.rows : 0);
        for (int by = p.columns; by < warp_size; by *= 2) m.merge_lane(by);
        if (thread % warp_size < p.columns) {
            INLAY_UNROLL
            for (int i = 0; i < lanes; ++i)
                shared.of[thread / warp_size * span + column * lanes + i] = {m.mean.v[i], m.m2.v[i]};
        }
        if (thread % warp_size == 0) shared.counts[thread / warp_size] = m.n;
        block_sync();
        const int own = detail::SharedMoments<lanes>::channel();
        const bool leads = own < span && thread % 4 == 0;
        // All lanes of a warp merge, where any of them has a channel.
        using Shared = detail::SharedMoments<lanes>;
        int merging = span;
        if constexpr (!Shared::even) merging = (span + Shared::of_warp - 1) / Shared::of_warp * Shared::of_warp;
        CountedMoments<1> of_channel;
        if (own < merging) of_channel = shared.merged(threads / warp_size, span);
        if (p.team > 1) {
            MeanM2* const of_task = partial + index_t(task) * p.team * span;
            if (leads) of_task[member * span + own] = {of_channel.mean.v[0], of_channel.m2.v[0]};
            if (!last_of(counters + task, p.team)) return;
            const int groups = threads / span, group = thread / span;
            CountedMoments<1> of_group;
            for (int i = group; i < p.team; i += 8 * groups) {
                float2 x[8];
                INLAY_UNROLL
                for (int k = 0; k < 8; ++k) {
                    const int from = i + k * groups < p.team ? i + k * groups : i;
                    x[k] = load_l2(reinterpret_cast<const float2*>(of_task + from * span + thread % span));
                }
                INLAY_UNROLL
                for (int k = 0; k < 8; ++k)
                    if (const int from = i + k * groups; from < p.team)
                        of_group.merge({static_cast<float>(p.pixels_of(from)), x[k].x, x[k].y});
            }
            shared.of[thread] = {of_group.mean.v[0], of_group.m2.v[0]};
            if (thread % span == 0) shared.counts[group] = of_group.n;
            block_sync();
            if (own < merging) of_channel = shared.merged(groups, span);
        }
        if (!leads || begin + own >= p.channels) return;
        stats({{item, begin + own, 0}}) = of_channel.mean.v[0];
        stats({{item, begin + own, 1}}) = of_channel.m2.v[0];
    }
};

/// Mean of each channel of each item and the sum of squared deviations from it, if the sink publishes them.
template <class Sink>
void publish_stats(Launcher& l, const Sink& sink) {
    using S = typename Sink::sink;
    if constexpr (inlay::detail::is_stats<S>) {
        const auto& y = get<inlay::detail::stored_slot<S>>(sink.outs);
        const auto& stats = get<S::slot>(sink.outs);
        using Y = std::remove_cvref_t<decltype(y)>;
        constexpr int R = Y::rank;
        if (count(y.extents) == 0) return;
        const index_t items = y.extents[0], channels = y.extents[R - 1];
        require(channels < index_t(1) << 30, "the statistics of ", channels, " channels are too many");
        using Plan = StatsPlan<chunk_of<typename Y::value_type>>;
        const Plan p = Plan::of(l.device(), items, y.size() / (items * channels), channels);
        const index_t tasks = items * p.ranges;
        const auto launch = [&](const auto& pixels) {
            const auto parts = static_cast<std::size_t>(tasks * p.team * p.span());
            l.launch<StatsBody<typename Y::value_type, R, std::remove_cvref_t<decltype(pixels)>>>(
                {.blocks = tasks * p.team, .threads = Plan::threads, .overlaps = true},
                {p, y, pixels, stats, static_cast<MeanM2*>(l.workspace(sizeof(MeanM2) * parts)),
                 l.semaphores(static_cast<std::size_t>(tasks))});
        };
        if (flat_extents(y.extents) && inlay::detail::flat_tensor(y, y.extents)) launch(FlatPixels<R>{});
        else launch(AnyPixels<R>(y.extents));
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
