// SPDX-License-Identifier: Apache-2.0
/// Means and squared deviations in registers, by sums about a shift: Chan, Golub, LeVeque, "Algorithms for computing
/// the sample variance", 1983. Added in a fixed order: equal runs give equal bits.
///
/// With k the mean of n₁ of the n values, (k − mean)² ≤ m2 · (1/n₁ − 1/n), so Σ(x − k)² = m2 + n (k − mean)² ≤
/// m2 · n/n₁: however large the mean, taking one from the other magnifies rounding at most n/n₁-fold, as a rule not at
/// all. Where sums can be had again, the second ones are about the mean that the first ones gave.
#pragma once

#include <inlay/core/vec.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Mean of some values, and the sum of their squared deviations from it.
struct alignas(8) MeanM2 {
    float mean, m2;
};

/// Σ(x − k) and Σ(x − k)².
struct ShiftedSums {
    float k, sum = 0, squares = 0;

    /// The moments of n values more.
    __device__ INLAY_INLINE void add(float n, const MeanM2& m) {
        const float d = m.mean - k, nd = n * d;
        sum += nd;
        squares += m.m2 + nd * d;
    }
    /// The moments of the n values so far.
    __device__ INLAY_INLINE MeanM2 moments(float n) const {
        const float d = math::quotient(sum, n);
        return {k + d, squares - sum * d};
    }
};

/// Sums over the lanes of a warp, in every lane.
__device__ INLAY_INLINE float add_in_warp(float x) {
    INLAY_UNROLL
    for (int by = warp_size / 2; by > 0; by /= 2) x += shuffle_xor(x, by);
    return x;
}
/// The same of sums about one shift.
__device__ INLAY_INLINE ShiftedSums add_in_warp(const ShiftedSums& s) {
    return {s.k, add_in_warp(s.sum), add_in_warp(s.squares)};
}

/// The sums of N channels that a thread reads together, each with a shift of its own.
template <int N>
struct ChannelSums {
    Vec<float, N> k, sum = 0.0f, squares = 0.0f;

    __device__ INLAY_INLINE void add(const Vec<float, N>& x) {
        const Vec<float, N> d = x - k;
        sum += d;
        squares += d * d;
    }
    __device__ INLAY_INLINE ShiftedSums operator[](int i) const { return {k.v[i], sum.v[i], squares.v[i]}; }
};

/// The moments of n values of each of N channels, merged by Chan's formula: stable whatever the counts are, and 0
/// values change nothing.
template <int N>
struct CountedMoments {
    float n = 0;
    Vec<float, N> mean = 0.0f, m2 = 0.0f;

    __device__ INLAY_INLINE void merge(const CountedMoments& other) {
        const float all = n + other.n, part = math::quotient(other.n, fmaxf(all, 1.0f)), weight = n * part;
        const Vec<float, N> d = other.mean - mean;
        mean += d * part;
        m2 += other.m2 + d * d * weight;
        n = all;
    }
    /// Merges the moments of the lane whose number differs in bit `by`.
    __device__ INLAY_INLINE void merge_lane(int by) {
        CountedMoments other{shuffle_xor(n, by)};
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) {
            other.mean.v[i] = shuffle_xor(mean.v[i], by);
            other.m2.v[i] = shuffle_xor(m2.v[i], by);
        }
        merge(other);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
