// SPDX-License-Identifier: Apache-2.0
/// GroupNorm: one kernel that reads its input once where the device can keep it. A block evaluates the input over its
/// share of the pixels into shared memory; each thread has the moments of its pieces, which a warp adds up for a group
/// and exchanges with the blocks that share it; then all normalise the pixels they kept.
///
/// Holes: input expression [B, ..., C], epilogue, sink. Moves the input and the output once; of a tensor larger than
/// all shared memory together, the rest is read again, the latest first, so that it comes from the L2 cache.
#pragma once

#include <inlay/tile/gpu/block/arrival.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/norm/group_moments.hpp>
#include <inlay/tile/gpu/norm/pixel_tile.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// The groups of 8 channels from j on. Piece `group + chunk` is the part of a chunk in a group.
struct ChunkGroups {
    int first, into, width;     ///< the first group, the place of j in it

    __device__ ChunkGroups(const GroupNormPlan& p, int j)
        : first(p.by_width.divide(j)), into(j - first * p.width), width(p.width) {}

    /// The first value of each group's piece, in all its lanes.
    __device__ INLAY_INLINE Vec<float, 8> firsts(Vec<float, 8> x) const {
        INLAY_UNROLL
        for (int i = 1, at = into; i < 8; ++i) {
            at = at + 1 == width ? 0 : at + 1;
            const float own = x.v[i], before = x.v[i - 1];  // a choice of elements would put them into memory
            x.v[i] = at == 0 ? own : before;
        }
        return x;
    }
    /// `to[g · apart]`: the moments of the piece of the g-th of these groups, from the sums of `n` lanes, the last of
    /// which ends a group or is the last of all, over `steps` values each.
    __device__ INLAY_INLINE void store(MeanM2* to, int apart, const ChannelSums<8>& sums, int n, int steps) const {
        ShiftedSums s{};
        const float each = static_cast<float>(steps);
        float values = 0;
        INLAY_UNROLL
        for (int i = 0, at = into; i < 8; ++i) {
            const ShiftedSums lane = sums[i];
            s = {lane.k, s.sum + lane.sum, s.squares + lane.squares};
            values += each;
            if (++at == width || i == 7) {
                if (i < n) *to = s.moments(values);
                to += apart;
                s.sum = s.squares = values = 0.0f, at = 0;
            }
        }
    }
};

/// Mean and scale of a group's channels, in place of γ; called by a warp.
__device__ inline void scale_channels(const GroupNormPlan& p, const GroupNormTable& t, int group, const MeanM2& m,
                                      float eps) {
    const float rstd = reciprocal_sqrt(math::quotient(m.m2, static_cast<float>(p.pixels() * p.width)) + eps);
#pragma unroll 1
    for (int j = lane_index(); j < p.width; j += warp_size) {
        t.mean[group * p.width + j] = m.mean;
        t.scale[group * p.width + j] *= rstd;
    }
}

/// 8 channels of a thread.
template <class T>
struct ThreadChunk {
    Slots<T> slots;
    index_t channel;
    int n, j;           ///< lanes in use; the first channel within the range
};

}  // namespace detail

/// `all_words`: [tasks][groups][team], the moments that blocks hand over; behind them a counter for each task.
template <class Source, class Pixels, class G, class B, class Epilogue, class PixelStore>
struct GroupNormBody {
    struct Arguments {
        GroupNormPlan plan;
        Source source;
        Pixels pixels;
        float eps;
        G gamma;
        B beta;
        Epilogue epilogue;
        PixelStore drain;
        std::uint64_t* all_words;
    };
    static constexpr int threads = Source::threads, min_blocks = 1;

    /// Arguments are read again in each part of the work, as of all at once a vendor's registers are too few.
    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char* memory) {
        const auto& [plan, source, pixels, eps, gamma, beta, epilogue, drain, all_words] = arguments;
        using P = GroupNormPlan;
        using T = typename Source::element;
        const detail::GroupNormTable table(plan, sizeof(T), reinterpret_cast<unsigned char*>(memory));
        const int thread = thread_index(), warp = thread / warp_size, warps = plan.threads / warp_size;
        const int row = plan.by_columns.divide(thread), column = thread - row * plan.columns;
        const int slot = plan.by_group_size.divide(work.tile());
        const int member = work.tile() - slot * plan.team;
        const PixelSteps steps(plan.first_pixel(member) + row, plan.rows, plan.steps_of(member, row), plan.kept,
                               plan.ahead);
        const int passes = row < plan.rows ? plan.passes_of(column) : 0;
        after_previous_kernel();

#pragma unroll 1
        for (int task = slot; task < again(plan).tasks; task += again(plan).slots) {
            const int item = again(plan).by_ranges.divide(task);
            const index_t range = index_t(task - item * again(plan).ranges) * again(plan).span;
            std::uint64_t* const words = again(all_words) + index_t(task) * again(plan).handed_over();
            const auto chunk_of = [&](int pass) {
                const auto& p = again(plan);
                const int j = (column + pass * p.columns) * P::lanes;
                unsigned char* const kept = table.kept + pass * p.kept * p.slot_bytes(sizeof(T));
                return detail::ThreadChunk<T>{{kept, p.threads}, range + j, (::min)(P::lanes, p.span - j), j};
            };
            const auto open = [&](const auto& end, const auto& chunk) {
                return again(end).open(steps, again(pixels), item, chunk.channel, chunk.n);
            };
            auto chunk = chunk_of(0);
            auto from = open(source, chunk);
            auto to = typename PixelStore::Cursor{};
            const auto fetch = [&](int i) {
                if (i < steps.count)
                    again(source).fetch(chunk.slots, from, steps, i, again(pixels), item, chunk.channel, chunk.n);
                copy_commit();
            };
#pragma unroll 1
            for (int pass = 0; pass < passes; ++pass) {
                if (pass > 0) chunk = chunk_of(pass), from = open(source, chunk);
#pragma unroll 1
                for (int i = 0; i < again(plan).ahead; ++i) fetch(i);
                // While the input is on its way:
                to = open(drain, chunk);
                if (pass == 0)
                    for (int j = thread; j < again(plan).span; j += again(plan).rows * again(plan).columns) {
                        table.scale[j] = to_float(again(gamma)({{range + j}}));
                        table.shift[j] = to_float(again(beta)({{range + j}}));
                    }
                const detail::ChunkGroups groups(again(plan), chunk.j);
                ChannelSums<P::lanes> sums;
#pragma unroll 1
                for (int i = 0; i < steps.count; ++i) {
                    steps.wait();
                    const auto x = chunk.slots.load(steps.slot(i));
                    if (i == 0) sums.k = groups.firsts(x);
                    sums.add(x);
                    fetch(i + again(plan).ahead);
                }
                groups.store(table.pieces + (groups.first + chunk.j / P::lanes) * again(plan).rows + row,
                             again(plan).rows, sums, chunk.n, steps.count);
            }
            block_sync();
            const auto& met = again(plan);
            detail::add_pieces(met, table, member, [&](int group, const MeanM2& m) {
                if (met.team == 1) detail::scale_channels(met, table, group, m, again(eps));
                else if (thread % warp_size == 0) hand_over(words + group * met.team + member, m);
            });
            if (met.team > 1)
                for (int group = warp; group < met.groups; group += warps)
                    detail::scale_channels(met, table, group, detail::add_blocks(met, words + group * met.team),
                                           again(eps));
            block_sync();
            std::uint64_t* const counter = again(all_words) + index_t(met.tasks) * met.handed_over() + task;
            const bool last =
                met.team > 1 && thread == 0 && count_last(reinterpret_cast<std::uint32_t*>(counter), met.team);

#pragma unroll 1
            for (int pass = 0; pass < passes; ++pass) {
                if (again(plan).passes > 1) chunk = chunk_of(pass), from = open(source, chunk), to = open(drain, chunk);
                const auto mean = load_vector<P::lanes>(table.mean + chunk.j),
                           scale = load_vector<P::lanes>(table.scale + chunk.j),
                           shift = load_vector<P::lanes>(table.shift + chunk.j);
#pragma unroll 1
                for (int i = steps.count - 1; i >= 0; --i) {
                    if (steps.kept < steps.count) steps.wait();
                    const auto y = (chunk.slots.load(steps.slot(i)) - mean) * scale + shift;
                    if (steps.kept < steps.count) {
                        const int next = i - again(plan).ahead;
                        fetch(next >= steps.kept ? next : steps.count);
                    }
                    const auto at = again(pixels).at(item, steps.pixel(i), chunk.channel);
                    again(drain).write(
                        to, steps, i, again(pixels), item, chunk.channel, chunk.n,
                        read_chunk<P::lanes, typename PixelStore::stored>(again(epilogue), at, chunk.n, &y));
                }
            }
            if (again(plan).team > 1 && warp == 0 && shuffle(static_cast<int>(last), 0) != 0)
#pragma unroll 1
                for (int i = thread; i < again(plan).handed_over(); i += warp_size) words[i] = 0;
            block_sync();
        }
    }
};

/// Launches a plan.
template <class Source, class Pixels, class G, class B, class Epilogue, class PixelStore>
void group_norm(Launcher& l, const GroupNormPlan& plan, const Source& source, const Pixels& pixels, double eps,
                const G& gamma, const B& beta, const Epilogue& epilogue, const PixelStore& drain) {
    l.launch<GroupNormBody<Source, Pixels, G, B, Epilogue, PixelStore>>(
        {.blocks = index_t(plan.slots) * plan.team,
         .threads = plan.threads,
         .shared = plan.shared(sizeof(typename Source::element)),
         .cooperative = plan.team > 1},
        {plan, source, pixels, static_cast<float>(eps), gamma, beta, epilogue, drain,
         reinterpret_cast<std::uint64_t*>(l.semaphores(2 * plan.words()))});
}

/// run(source, pixels, store): the reads of a norm over e = [B, ..., C], and the stores of its results.
template <int R, class In, class Epilogue, class Sink, class F>
void read_and_written(const Extents<R>& e, const In& in, const Epilogue& epilogue, const Sink& sink, const F& run) {
    if constexpr (may_be_flat<R, In, Epilogue, Sink>) {
        if (is_flat(e, in, epilogue, sink))
            return run(SourceOf<In, true>{in}, FlatPixels<R>{}, PixelStoreOf<Sink, true>{sink});
    }
    run(SourceOf<In, false>{in}, AnyPixels<R>(e), PixelStoreOf<Sink, false>{sink});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
