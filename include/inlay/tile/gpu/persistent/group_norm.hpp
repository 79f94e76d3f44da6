// SPDX-License-Identifier: Apache-2.0
/// GroupNorm in two tasks: the moments of rows, and rows normalised by the moments of all rows of their image. A group
/// is `rows` rows of one image; tasks share its channels, whole groups of the norm each, in multiples of 8.
#pragma once

#include <inlay/tile/gpu/block/moments.hpp>
#include <inlay/tile/gpu/chunk/vector.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// `x`, `y`: dense rows. `moments`: [groups of rows, norm groups].
template <class T>
struct GroupNormTask {
    const T* x;
    T* y;
    const T *gamma, *beta;
    MeanM2* moments;
    int rows, channels, norm_groups;
    int item_groups;  ///< groups of rows of an image
    float epsilon;

    /// Channels of a group of the norm.
    __device__ INLAY_INLINE int width() const { return channels / norm_groups; }
};

/// Moments of each group of the norm over a group's rows, a warp each: the sums are about a mean that other sums gave.
template <class T>
struct MeasureTasks {
    using Arguments = GroupNormTask<T>;

    static __device__ INLAY_INLINE void run(const Arguments& a, int group, int member, int members, char*) {
        const int width = a.width(), own = a.norm_groups / members, values = a.rows * width;
        const float n = static_cast<float>(values);
        const T* const rows = a.x + index_t(group) * a.rows * a.channels;
        for (int i = warp_index(); i < own; i += block_threads() / warp_size) {
            const int g = member * own + i;
            const T* const from = rows + g * width;
            const auto sums_about = [&](float k) {
                ShiftedSums s{k};
#pragma unroll 4
                for (int v = lane_index(); v < values; v += warp_size) {
                    const int row = v / width;
                    const float d = to_float(from[row * a.channels + (v - row * width)]) - k;
                    s.sum += d, s.squares += d * d;
                }
                return add_in_warp(s);
            };
            const ShiftedSums guess = sums_about(to_float(from[0]));
            const MeanM2 m = sums_about(guess.k + math::quotient(guess.sum, n)).moments(n);
            if (lane_index() == 0) a.moments[group * a.norm_groups + g] = m;
        }
    }
};

/// Rows by the moments of their image. Shared memory: mean and factor of each of the task's groups of the norm.
template <class T>
struct NormaliseTasks {
    using Arguments = GroupNormTask<T>;
    static constexpr int lanes = 8;

    static __device__ INLAY_INLINE void run(const Arguments& a, int group, int member, int members, char* memory) {
        float* const table = reinterpret_cast<float*>(memory);
        const int width = a.width(), own = a.norm_groups / members, first = member * own;
        const int item = group / a.item_groups * a.item_groups;
        const float each = static_cast<float>(a.rows * width), all = each * static_cast<float>(a.item_groups);
        for (int i = warp_index(); i < own; i += block_threads() / warp_size) {
            const MeanM2* const from = a.moments + item * a.norm_groups + first + i;
            const auto sums_about = [&](float k) {
                ShiftedSums s{k};
                for (int p = lane_index(); p < a.item_groups; p += warp_size) s.add(each, from[p * a.norm_groups]);
                return add_in_warp(s);
            };
            const ShiftedSums guess = sums_about(from->mean);
            const MeanM2 m = sums_about(guess.k + math::quotient(guess.sum, all)).moments(all);
            if (lane_index() == 0) {
                table[2 * i] = m.mean;
                table[2 * i + 1] = reciprocal_sqrt(math::quotient(m.m2, all) + a.epsilon);
            }
        }
        block_sync();
        const int channel = first * width, chunks = own * width / lanes;
        const index_t begin = index_t(group) * a.rows * a.channels + channel;
        for (int i = thread_index(); i < a.rows * chunks; i += block_threads()) {
            const int row = i / chunks, at = (i - row * chunks) * lanes;
            const index_t place = begin + row * a.channels + at;
            Vec<float, lanes> v = load_vector<lanes>(a.x + place);
            const Vec<float, lanes> gamma = load_vector<lanes>(a.gamma + channel + at),
                                    beta = load_vector<lanes>(a.beta + channel + at);
            int of = at / width, in = at - of * width;
            INLAY_UNROLL
            for (int j = 0; j < lanes; ++j) {
                v.v[j] = (v.v[j] - table[2 * of]) * table[2 * of + 1] * gamma.v[j] + beta.v[j];
                if (++in == width) ++of, in = 0;
            }
            store_vector<lanes>(a.y + place, v);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
