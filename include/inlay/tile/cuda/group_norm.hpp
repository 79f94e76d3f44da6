// SPDX-License-Identifier: Apache-2.0
/// GroupNorm: one kernel that reads its input once where the device can keep it. A block evaluates the input over its
/// slab of pixels into shared memory, collects moments per channel, merges them to its groups, meets the blocks that
/// share those groups, and normalises what it kept.
///
/// Holes: input expression [B, ..., C], epilogue, sink. Moves the input and the output once; of a tensor larger than
/// all shared memory together, what did not fit is read again, the latest first, so that it comes from the L2 cache.
#pragma once

#include <inlay/tile/cuda/group_norm_plan.hpp>
#include <inlay/tile/cuda/moments.hpp>
#include <inlay/tile/cuda/slab.hpp>
#include <inlay/tile/cuda/team.hpp>

namespace inlay::inline INLAY_ABI::cuda {

namespace detail {

/// The shared memory of a block.
struct GroupNormTable {
    PartMoments* parts;         ///< [groups · parts], of this block
    float2* channels;           ///< [rows][padded] mean and squared deviations
    float *mean, *scale, *shift;  ///< [padded]
    unsigned char* slots;

    __device__ GroupNormTable(const GroupNormPlan& p, unsigned char* memory) {
        parts = reinterpret_cast<PartMoments*>(memory);
        channels = reinterpret_cast<float2*>(parts + p.groups * p.parts);
        mean = reinterpret_cast<float*>(channels + p.rows * p.padded());
        scale = mean + p.padded();
        shift = scale + p.padded();
        slots = reinterpret_cast<unsigned char*>(shift + p.padded());
    }
};

/// Moments of a block's groups from those of its channels, row by row: warp w has part w % parts of group w / parts.
__device__ inline void merge_channels(const GroupNormPlan& p, const GroupNormTable& t, int slab, PartMoments* to,
                                      int stride) {
    const int lane = static_cast<int>(threadIdx.x) % 32, across = p.width < 32 ? p.width : 32, down = 32 / across;
    const int whole = slab / p.rows, more = slab % p.rows;
    for (int w = static_cast<int>(threadIdx.x) / 32; w < p.groups * p.parts; w += GroupNormPlan::warps) {
        const int group = w / p.parts, part = w % p.parts;
        PartMoments m{};
#pragma unroll 1
        for (int r = lane < across * down ? part * down + lane / across : p.rows; r < p.rows; r += p.parts * down)
            for (int j = lane % across; j < p.width; j += across) {
                const float2 c = t.channels[r * p.padded() + group * p.width + j];
                m.merge({static_cast<float>(whole + (r < more ? 1 : 0)), c.x, c.y});
            }
        m = merge_in_warp(m);
        if (lane == 0) to[group * stride + part] = m;
    }
}

/// Moments of the groups from `n` parts each, and with them mean and scale of every channel.
__device__ inline void scale_groups(const GroupNormPlan& p, const GroupNormTable& t, const PartMoments* from, int n,
                                    float eps) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int group = static_cast<int>(threadIdx.x) / 32; group < p.groups; group += GroupNormPlan::warps) {
        PartMoments m{};
#pragma unroll 1
        for (int i = lane; i < n; i += 32) {
            const float4 part = *reinterpret_cast<const float4*>(from + group * n + i);
            m.merge({part.x, part.y, part.z});
        }
        m = merge_in_warp(m);
        const float rstd = rsqrtf(__fdividef(m.m2, m.n) + eps);
#pragma unroll 1
        for (int j = group * p.width + lane; j < (group + 1) * p.width; j += 32) {
            t.mean[j] = m.mean;
            t.scale[j] *= rstd;
        }
    }
}

}  // namespace detail

template <class Source, class Pixels, class G, class B, class Epilogue, class Drain>
__global__ void __launch_bounds__(GroupNormPlan::threads, 1)
    group_norm_kernel(const __grid_constant__ GroupNormPlan plan, const __grid_constant__ Source source, Pixels pixels,
                      float eps, G gamma, B beta, const __grid_constant__ Epilogue epilogue,
                      const __grid_constant__ Drain drain, PartMoments* all_parts, std::uint32_t* counters) {
    using P = GroupNormPlan;
    using T = typename Source::element;
    extern __shared__ uint4 group_norm_memory[];
    const detail::GroupNormTable table(plan, reinterpret_cast<unsigned char*>(group_norm_memory));
    const int thread = static_cast<int>(threadIdx.x), column = thread % plan.columns, row = thread / plan.columns;
    const int member = static_cast<int>(blockIdx.x) % plan.team;
    const index_t begin = plan.first_pixel(member);
    const int slab = static_cast<int>(plan.first_pixel(member + 1) - begin);
    const SlabSteps<P::ahead> steps(begin, slab, row, plan.rows, plan.kept);

#pragma unroll 1
    for (int task = static_cast<int>(blockIdx.x) / plan.team; task < plan.tasks; task += plan.slots) {
        const int item = task / plan.ranges;
        const index_t first_channel = index_t(task % plan.ranges) * plan.span;
        /// f(slots, first channel, lanes in use, the same channel within the range) for the chunks of this thread
        const auto each_chunk = [&](auto&& f) {
#pragma unroll 1
            for (int pass = 0, chunk = column; chunk < plan.chunks && row < plan.rows; ++pass, chunk += plan.columns) {
                const int j = chunk * P::lanes, left = plan.span - j;
                f(Slots<T, P::threads>{table.slots + pass * plan.kept * P::lanes * int(sizeof(T)) * P::threads},
                  first_channel + j, left < P::lanes ? left : P::lanes, j);
            }
        };

        each_chunk([&](const auto& slots, index_t channel, int n, int j) {
            const auto cursor = source.open(steps, pixels, item, channel, n);
            const auto fetch = [&](int i) {
                if (i < steps.count) source.fetch(slots, cursor, steps, i, pixels, item, channel, n);
                copy_commit();
            };
#pragma unroll 1
            for (int i = 0; i < P::ahead; ++i) fetch(i);
            if (row == 0)
                for (int i = 0; i < n; ++i) {
                    table.scale[j + i] = to_float(gamma({{channel + i}}));
                    table.shift[j + i] = to_float(beta({{channel + i}}));
                }
            ChannelMoments<P::lanes> m;
#pragma unroll 1
            for (int i = 0; i < steps.count; ++i) {
                copy_wait<P::ahead - 1>();
                m.add(slots.load(steps.slot(i)));
                fetch(i + P::ahead);
            }
            INLAY_UNROLL
            for (int i = 0; i < P::lanes; ++i)
                table.channels[row * plan.padded() + j + i] = make_float2(m.mean.v[i], m.m2.v[i]);
        });
        __syncthreads();
        const int parts = plan.parts * plan.team;
        PartMoments* of_task = plan.team == 1 ? table.parts : all_parts + index_t(task) * plan.groups * parts;
        detail::merge_channels(plan, table, slab, of_task + member * plan.parts, parts);
        if (plan.team == 1) __syncthreads();
        else meet(counters + task, plan.team);
        detail::scale_groups(plan, table, of_task, parts, eps);
        __syncthreads();

        each_chunk([&](const auto& slots, index_t channel, int n, int j) {
            const auto cursor = source.open(steps, pixels, item, channel, n);
            const auto to = drain.open(steps, pixels, item, channel, n);
            const auto mean = load_vector<P::lanes>(table.mean + j), scale = load_vector<P::lanes>(table.scale + j),
                       shift = load_vector<P::lanes>(table.shift + j);
#pragma unroll 1
            for (int i = steps.count - 1; i >= 0; --i) {
                copy_wait<P::ahead - 1>();
                const auto y = (slots.load(steps.slot(i)) - mean) * scale + shift;
                if (i - P::ahead >= steps.kept)
                    source.fetch(slots, cursor, steps, i - P::ahead, pixels, item, channel, n);
                copy_commit();
                drain.write(to, steps, i, pixels, item, channel, n,
                            read_chunk<P::lanes>(epilogue, pixels.at(item, steps.pixel(i), channel), n, &y));
            }
        });
        __syncthreads();
    }
}

/// Launches a plan.
template <class Source, class Pixels, class G, class B, class Epilogue, class Drain>
void group_norm(Launcher& l, const GroupNormPlan& plan, const Source& source, const Pixels& pixels, double eps,
                const G& gamma, const B& beta, const Epilogue& epilogue, const Drain& drain) {
    l.launch({.blocks = index_t(plan.slots) * plan.team,
              .threads = GroupNormPlan::threads,
              .shared = plan.shared(sizeof(typename Source::element)),
              .cooperative = plan.team > 1},
             group_norm_kernel<Source, Pixels, G, B, Epilogue, Drain>, plan, source, pixels, static_cast<float>(eps),
             gamma, beta, epilogue, drain, static_cast<PartMoments*>(l.workspace(sizeof(PartMoments) * plan.partials())),
             l.semaphores(plan.meetings()));
}

/// (x − mean) / √(var + eps) · γ + β over e = [B, ..., C], mean and variance of each of Groups groups of channels
/// over all axes but the first; then the epilogue and the sink. Throws where a group is too wide to be merged in one
/// block.
template <int Groups, int R, class G, class B, class In, class Epilogue, class Sink>
void group_norm(Launcher& l, const Extents<R>& e, double eps, const G& gamma, const B& beta, const In& in,
                const Epilogue& epilogue, const Sink& sink) {
    if (count(e) == 0) return;
    const index_t pixels = count(e) / (e[0] * e[R - 1]);
    const auto run = [&](const auto& source, const auto& where, const auto& drain) {
        const int element = static_cast<int>(sizeof(typename std::remove_cvref_t<decltype(source)>::element));
        const auto plan = GroupNormPlan::of(l.device(), e[0], pixels, e[R - 1], Groups, element);
        group_norm(l, plan, source, where, eps, gamma, beta, epilogue, drain);
    };
    if constexpr (flat_expression<typename In::expression, R> && flat_expression<typename Epilogue::expression, R> &&
                  flat_sink<typename Sink::sink>) {
        if (flat_extents(e) && flat_pixels(in, e) && flat_pixels(epilogue, e) && flat_pixels(sink, e))
            return run(SourceOf<In, true>{in}, FlatPixels<R>{}, DrainOf<Sink, true>{sink});
    }
    run(SourceOf<In, false>{in}, AnyPixels<R>(e), DrainOf<Sink, false>{sink});
}

}  // namespace inlay::inline INLAY_ABI::cuda
