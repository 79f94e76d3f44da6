// SPDX-License-Identifier: Apache-2.0
/// Means and squared deviations in registers: Welford's recurrence per channel, Chan's formula between parts. Merged
/// in a fixed order: equal runs give equal bits, and a large mean costs no digits of the variance.
#pragma once

#include <inlay/core/vec.hpp>

namespace inlay::inline INLAY_ABI::cuda {

__device__ INLAY_INLINE float approximate_reciprocal(float x) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

/// The moments of n values, which need not be a number that an integer holds.
struct alignas(16) PartMoments {
    float n, mean, m2;

    /// Chan, Golub, LeVeque 1983.
    __device__ INLAY_INLINE void merge(const PartMoments& o) {
        const float total = n + o.n, share = total > 0 ? o.n * approximate_reciprocal(total) : 0.0f, d = o.mean - mean;
        mean += d * share;
        m2 += o.m2 + d * d * n * share;
        n = total;
    }
};

/// Over the lanes of a warp, in every lane.
__device__ INLAY_INLINE PartMoments merge_in_warp(PartMoments m) {
    INLAY_UNROLL
    for (int by = 16; by > 0; by /= 2) {
        PartMoments o;
        o.n = __shfl_down_sync(~0u, m.n, by);
        o.mean = __shfl_down_sync(~0u, m.mean, by);
        o.m2 = __shfl_down_sync(~0u, m.m2, by);
        m.merge(o);
    }
    m.n = __shfl_sync(~0u, m.n, 0);
    m.mean = __shfl_sync(~0u, m.mean, 0);
    m.m2 = __shfl_sync(~0u, m.m2, 0);
    return m;
}

/// Running moments of N channels that a thread reads together.
template <int N>
struct ChannelMoments {
    Vec<float, N> mean = 0.0f, m2 = 0.0f;
    float n = 0;

    __device__ INLAY_INLINE void add(const Vec<float, N>& x) {
        n += 1;
        const float by = approximate_reciprocal(n);
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) {
            const float d = x.v[i] - mean.v[i];
            mean.v[i] += d * by;
            m2.v[i] += d * (x.v[i] - mean.v[i]);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::cuda
