// SPDX-License-Identifier: Apache-2.0
/// GroupNorm by clusters of sm_90: one read, one write. A block evaluates the input over its share of pixels into
/// shared memory, where each thread reads its own again. Threads have moments of their pixels, a warp adds up those of
/// a group, and blocks of a cluster exchange theirs; then all normalise the pixels they kept.
#pragma once

#include <inlay/tile/cuda/isa/barrier.hpp>
#include <inlay/tile/cuda/isa/cluster.hpp>
#include <inlay/tile/cuda/wgmma/norm/split.hpp>
#include <inlay/tile/gpu/block/moments.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/norm/pixel_tile.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// The pixels of one thread, `rows` apart, each in a slot of its own.
struct KeptSteps {
    index_t first;
    int rows, count;

    __device__ INLAY_INLINE int slot(int i) const { return i; }
    __device__ INLAY_INLINE index_t pixel(int i) const { return first + index_t(i) * rows; }
};

/// The shared memory of a block. A piece is the part of a chunk in one group: that of a group and a chunk is their sum.
struct ClusterTable {
    float4* pieces;         ///< [groups + columns][rows]: shift, sum and squares about it, number of values
    float *gamma, *beta;    ///< [span]
    unsigned char* kept;
    std::uint64_t* words;   ///< [groups][team]: moments of blocks
    float2* numbers;        ///< [groups]: mean, 1/√(variance + eps)

    __device__ ClusterTable(const GroupNormClusters& p, int element, unsigned char* memory) {
        pieces = reinterpret_cast<float4*>(memory);
        gamma = reinterpret_cast<float*>(pieces + (p.groups + p.columns) * p.rows);
        beta = gamma + p.span;
        kept = reinterpret_cast<unsigned char*>(beta + p.span);
        words = reinterpret_cast<std::uint64_t*>(kept + p.slot_bytes(element) * p.kept);
        numbers = reinterpret_cast<float2*>(words + p.groups * p.team);
    }
};

/// The two groups that a chunk may lie in: `edge` channels are of the first.
struct ChunkGroupPair {
    static constexpr int lanes = GroupNormClusters::lanes;
    int first, edge;

    __device__ ChunkGroupPair(const GroupNormClusters& p, int j)
        : first(p.by_width.divide(j)), edge((::min)(lanes, (first + 1) * p.width - j)) {}

    __device__ bool both() const { return edge < lanes; }
    /// Each lane's number of two, by its group.
    __device__ INLAY_INLINE Vec<float, lanes> spread(float a, float b) const {
        Vec<float, lanes> v;
        INLAY_UNROLL
        for (int i = 0; i < lanes; ++i) v.v[i] = i < edge ? a : b;
        return v;
    }
    /// The first value of each group's lanes, in all of them.
    __device__ INLAY_INLINE Vec<float, lanes> firsts(const Vec<float, lanes>& x) const {
        float second = x.v[0];
        INLAY_UNROLL
        for (int i = 1; i < lanes; ++i) second = i == edge ? x.v[i] : second;
        return spread(x.v[0], second);
    }
    /// The pieces of both, from the sums of the lanes over `steps` values each; `apart`: from one to the other.
    __device__ INLAY_INLINE void store(float4* to, int apart, const ChannelSums<lanes>& sums, int steps) const {
        float2 s[2]{};
        INLAY_UNROLL
        for (int i = 0; i < lanes; ++i) {
            const bool in = i < edge;
            s[0].x += in ? sums.sum.v[i] : 0.0f, s[0].y += in ? sums.squares.v[i] : 0.0f;
            s[1].x += in ? 0.0f : sums.sum.v[i], s[1].y += in ? 0.0f : sums.squares.v[i];
        }
        to[0] = {sums.k.v[0], s[0].x, s[0].y, static_cast<float>(steps * edge)};
        if (both()) to[apart] = {sums.k.v[lanes - 1], s[1].x, s[1].y, static_cast<float>(steps * (lanes - edge))};
    }
};

/// The moments of a group over a block, by a warp, in all its lanes: the mean comes first, deviations are from it.
__device__ INLAY_INLINE MeanM2 add_threads(const GroupNormClusters& p, const float4* pieces, int member, int group) {
    constexpr int lanes = GroupNormClusters::lanes;
    const int begin = group * p.width, lane = lane_index();
    const int from = begin / lanes, count = ((begin + p.width - 1) / lanes - from + 1) * p.rows;
    const float4* const all = pieces + (group + from) * p.rows;
    const float4 one = all[(::min)(lane, count - 1)];
    ShiftedSums s{one.x + math::quotient(one.y, one.w)};
    float values = 0;
#pragma unroll 1
    for (int first = lane; first < count; first += 4 * warp_size) {
        float4 x[4];
        INLAY_UNROLL
        for (int i = 0; i < 4; ++i)
            x[i] = first + warp_size * i < count ? all[first + warp_size * i] : float4{s.k, 0, 0, 0};
        INLAY_UNROLL
        for (int i = 0; i < 4; ++i) {
            const float d = x[i].x - s.k, nd = x[i].w * d;
            s.sum += x[i].y + nd;
            s.squares += x[i].z + d * (x[i].y + x[i].y + nd);
            values += x[i].w;
        }
    }
    const float k = shuffle(s.k, 0), d = s.k - k, nd = values * d;
    return add_in_warp(ShiftedSums{k, s.sum + nd, s.squares + d * (s.sum + s.sum + nd)})
        .moments(static_cast<float>(p.pixels_of(member) * p.width));
}

__device__ INLAY_INLINE std::uint64_t word_of(const MeanM2& m) {
    return std::uint64_t(float_bits(m.m2)) << 32 | float_bits(m.mean);
}
__device__ INLAY_INLINE MeanM2 moments_of(std::uint64_t word) {
    return {float_of_bits(static_cast<std::uint32_t>(word)),
            float_of_bits(static_cast<std::uint32_t>(word >> 32))};
}
/// The moments of a group over a cluster, in the first lanes of a warp.
__device__ INLAY_INLINE MeanM2 add_team(const GroupNormClusters& p, const std::uint64_t* words) {
    const int lane = lane_index(), member = (::min)(lane, p.team - 1);
    ShiftedSums s{moments_of(words[0]).mean};
    s.add(static_cast<float>(p.pixels_of(member) * p.width), moments_of(words[member]));
    if (lane >= p.team) s.sum = s.squares = 0;
    INLAY_UNROLL
    for (int by = GroupNormClusters::most_in_group / 2; by > 0; by /= 2) {
        s.sum += shuffle_xor(s.sum, by);
        s.squares += shuffle_xor(s.squares, by);
    }
    return s.moments(static_cast<float>(p.pixels() * p.width));
}

}  // namespace detail

/// A range of channels over a share of an image's pixels: the blocks of a cluster share the pixels.
template <class Source, class Pixels, class G, class B, class Epilogue, class PixelStore>
struct ClusterGroupNormBody {
    struct Arguments {
        GroupNormClusters plan;
        Source source;
        Pixels pixels;
        float eps;
        G gamma;
        B beta;
        Epilogue epilogue;
        PixelStore drain;
    };
    static constexpr int threads = GroupNormClusters::most_threads, min_blocks = 1;
    static constexpr Images images = Images::with_sm90a;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char* shared) {
        const auto& [plan, source, pixels, eps, gamma, beta, epilogue, drain] = arguments;
        using P = GroupNormClusters;
        using T = typename Source::element;
        __shared__ std::uint64_t barrier;
        const detail::ClusterTable table(plan, sizeof(T), reinterpret_cast<unsigned char*>(shared));
        const int thread = thread_index(), warp = thread / warp_size, warps = plan.threads / warp_size;
        const int row = plan.by_columns.divide(thread), column = thread - row * plan.columns;
        const TeamTile tile = TeamTile::of(work.tile(), plan.team, plan.by_group_size);
        const int team = tile.team, member = tile.member;
        const int item = plan.by_ranges.divide(team), range = (team - item * plan.ranges) * plan.span;
        const int j = column * P::lanes;
        const index_t channel = range + j;
        const detail::KeptSteps steps{plan.first_pixel(member) + row, plan.rows,
                                      row < plan.rows ? plan.steps_of(member, row) : 0};
        const Slots<T> slots(table.kept, plan.threads);
        const auto from = source.open(steps, pixels, item, channel, P::lanes);
        wait_for_previous_kernel();
        // All copies are started at once, and waited for in four groups.
        const int quarter = (plan.kept + 3) / 4;
#pragma unroll 1
        for (int i = 0, end = quarter; end <= 4 * quarter; end += quarter) {
#pragma unroll 1
            for (; i < end; ++i)
                if (i < steps.count) source.fetch(slots, from, steps, i, pixels, item, channel, P::lanes);
            copy_commit();
        }

        if (row == 0) prefetch_line(&gamma({{channel}})), prefetch_line(&beta({{channel}}));
        if (plan.team > 1) {
            if (thread == 0) {
                barrier_init(shared_address(&barrier), 1);
                fence_barriers();
                barrier_expect(shared_address(&barrier), static_cast<std::uint32_t>(8 * plan.groups * plan.team));
            }
            warp_sync();
            cluster_barrier();  // all have their barriers
        }
        const auto to = drain.open(steps, pixels, item, channel, P::lanes);
        const detail::ChunkGroupPair pair(plan, j);
        {
            ChannelSums<P::lanes> sums;
#pragma unroll 1
            for (int i = 0, end = quarter; end <= 4 * quarter; end += quarter) {
                if (end == quarter) copy_wait<3>();
                else if (end == 2 * quarter) copy_wait<2>();
                else if (end == 3 * quarter) copy_wait<1>();
                else copy_wait<0>();
#pragma unroll 1
                for (; i < (::min)(end, steps.count); ++i) {
                    const auto x = slots.load(i);
                    if (i == 0) sums.k = pair.firsts(x);
                    sums.add(x);
                }
            }
            if (row < plan.rows)
                pair.store(table.pieces + (pair.first + column) * plan.rows + row, plan.rows, sums, steps.count);
        }
        block_sync();
        const auto finish = [&](int group, const MeanM2& m) {
            const float variance = math::quotient(m.m2, static_cast<float>(plan.pixels() * plan.width));
            if (thread % warp_size == 0) table.numbers[group] = {m.mean, reciprocal_sqrt(variance + eps)};
        };
        for (int group = warp; group < plan.groups; group += warps) {
            const MeanM2 m = detail::add_threads(plan, table.pieces, member, group);
            const int rank = thread % warp_size;
            if (plan.team == 1) finish(group, m);
            else if (rank < plan.team)
                send_to_block(shared_address(table.words + group * plan.team + member), detail::word_of(m),
                              shared_address(&barrier), static_cast<std::uint32_t>(rank));
        }
        // From the last thread on: it has no group to add up.
        for (int i = plan.threads - 1 - thread; i < plan.span; i += plan.threads) {
            table.gamma[i] = to_float(gamma({{index_t(range + i)}}));
            table.beta[i] = to_float(beta({{index_t(range + i)}}));
        }
        let_next_kernel_begin();    // not before: its blocks would crowd on multiprocessors without one of these
        if (plan.team > 1) {
            if (warp < plan.groups) barrier_wait(shared_address(&barrier), 0);
            for (int group = warp; group < plan.groups; group += warps)
                finish(group, detail::add_team(plan, table.words + group * plan.team));
        }
        block_sync();
        const float2 low = table.numbers[pair.first], high = table.numbers[pair.first + pair.both()];
        const auto mean = pair.spread(low.x, high.x),
                   scale = load_vector<P::lanes>(table.gamma + j) * pair.spread(low.y, high.y);
        auto shift = load_vector<P::lanes>(table.beta + j);
        constexpr bool folded = sizeof(T) == 2;     // its rounding is far less than that of storing the input
        if constexpr (folded) shift = shift - mean * scale;
        auto next = slots.load(0);
#pragma unroll 1
        for (int i = 0; i < steps.count; ++i) {
            const auto x = next;
            next = slots.load((::min)(i + 1, steps.count - 1));
            const auto y = folded ? x * scale + shift : (x - mean) * scale + shift;
            const auto at = pixels.at(item, steps.pixel(i), channel);
            drain.write(to, steps, i, pixels, item, channel, P::lanes,
                        read_chunk<P::lanes, typename PixelStore::stored>(epilogue, at, P::lanes, &y));
        }
    }
};

/// Launches a plan.
template <class Source, class Pixels, class G, class B, class Epilogue, class PixelStore>
void group_norm(Launcher& l, const GroupNormClusters& plan, const Source& source, const Pixels& pixels, double eps,
                const G& gamma, const B& beta, const Epilogue& epilogue, const PixelStore& drain) {
    // Blocks that begin early crowd on the multiprocessors that are idle then, which costs more than it saves, unless
    // each reserves more than half of one's shared memory.
    const bool alone = plan.alone(l.device().multiprocessors);
    const int bytes = plan.shared(sizeof(typename Source::element)), least = l.device().shared_bytes / 2 + 1024;
    l.launch<ClusterGroupNormBody<Source, Pixels, G, B, Epilogue, PixelStore>>(
        {.blocks = index_t(plan.tasks) * plan.team,
         .threads = plan.threads,
         .shared = static_cast<std::size_t>(alone ? larger(bytes, least) : bytes),
         .cluster = plan.team,
         .overlaps = alone},
        {plan, source, pixels, static_cast<float>(eps), gamma, beta, epilogue, drain});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
