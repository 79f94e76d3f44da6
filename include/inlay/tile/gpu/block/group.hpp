// SPDX-License-Identifier: Apache-2.0
/// Threads of a block that share a row, and reductions over them: by shuffles in a warp, through shared memory beyond
/// one. The order is fixed, so results do not change from run to run.
#pragma once

#include <inlay/core/vec.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

struct Plus {
    __device__ INLAY_INLINE float operator()(float a, float b) const { return a + b; }
};
/// The greater; a NaN is passed over.
struct Greatest {
    __device__ INLAY_INLINE float operator()(float a, float b) const { return fmaxf(a, b); }
};

namespace detail {
/// The lanes of a vector combined as a tree; N is a power of two.
template <int N, class Op>
__device__ INLAY_INLINE float join_lanes(Vec<float, N> x, Op op) {
    INLAY_UNROLL
    for (int w = N / 2; w > 0; w /= 2)
        INLAY_UNROLL
        for (int i = 0; i < N / 2; ++i)  // a constant bound, else a long vector goes to local memory
            if (i < w) x.v[i] = op(x.v[i], x.v[i + w]);
    return x.v[0];
}
}  // namespace detail

/// M values of `lanes` neighbouring lanes combined at once, lanes a power of two; every lane gets the results.
template <int M, class Op>
__device__ INLAY_INLINE void reduce_lanes(float (&x)[M], int lanes, Op op) {
    for (int apart = lanes / 2; apart > 0; apart /= 2)
        INLAY_UNROLL
        for (int i = 0; i < M; ++i) x[i] = op(x[i], shuffle_xor(x[i], apart));
}

/// `size` threads in a row, a power of two; blocks hold whole groups of one size.
class Group {
public:
    static constexpr int values = 2;                        ///< combined at once, at most
    static constexpr int most_warps = 1024 / narrowest_warp;    ///< of a block
    static constexpr int floats = 2 * values * most_warps;  ///< of shared memory that all groups of a block share

    int size, rank;

    __device__ Group(int threads, float* shared)
        : size(threads), rank(thread_index() & (threads - 1)), shared_(shared) {}

    /// Combines M values over the group; every thread gets the results. All threads of the block call it.
    template <int M, class Op>
    __device__ INLAY_INLINE void reduce(float (&x)[M], Op op) {
        static_assert(M <= values);
        INLAY_UNROLL
        for (int apart = warp_size / 2; apart > 0; apart /= 2) {
            if (apart >= size) continue;
            INLAY_UNROLL
            for (int i = 0; i < M; ++i) x[i] = op(x[i], shuffle_xor(x[i], apart));
        }
        if (size <= warp_size) return;
        gather(x);
        reduce_lanes(x, size / warp_size, op);
    }
    template <class Op>
    __device__ INLAY_INLINE float reduce(float x, Op op) {
        float one[1] = {x};
        reduce(one, op);
        return one[0];
    }

    /// In a group of several warps, lane i gets the values of its warp i, as the first lane of that has them, counted
    /// around. All threads of the block call it.
    template <int M>
    __device__ INLAY_INLINE void gather(float (&x)[M]) {
        static_assert(M <= values);
        // Two buffers alternate: a thread that writes one again has passed the barrier after its last reads.
        float* slots = shared_ + turn_ * values * most_warps;
        turn_ ^= 1;
        const int warp = warp_index(), warps = size / warp_size;
        INLAY_UNROLL
        for (int i = 0; i < M; ++i)
            if (thread_index<unsigned>() % warp_size == 0) slots[i * most_warps + warp] = x[i];
        block_sync();
        const int from = (warp & ~(warps - 1)) + (thread_index() & (warps - 1));
        INLAY_UNROLL
        for (int i = 0; i < M; ++i) x[i] = slots[i * most_warps + from];
    }

private:
    float* shared_;
    int turn_ = 0;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
