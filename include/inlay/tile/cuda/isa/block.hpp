// SPDX-License-Identifier: Apache-2.0
/// Threads of a block and blocks of a grid, both of one dimension: their numbers, and the barriers of a block.
#pragma once

#include <inlay/core/config.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// This thread's number in its block, and the number of those. In `I`: the hardware has 32 bits without a sign, which
/// widen to an `index_t` for nothing, where an `int` takes an instruction.
template <class I = int>
__device__ INLAY_INLINE I thread_index() {
    return static_cast<I>(threadIdx.x);
}
template <class I = int>
__device__ INLAY_INLINE I block_threads() {
    return static_cast<I>(blockDim.x);
}

/// This block's number in the grid. A grid has less than 2^31 blocks.
template <class I = int>
__device__ INLAY_INLINE I block_index() {
    return static_cast<I>(blockIdx.x);
}
/// Blocks of the grid, read anew: a value that a loop seldom uses takes no register all along it.
__device__ INLAY_INLINE int blocks_of_grid() {
    int n;
    asm volatile("mov.u32 %0, %%nctaid.x;" : "=r"(n));
    return n;
}

/// Waits for all threads of the block, at one place in the code.
__device__ INLAY_INLINE void block_sync() { __syncthreads(); }
/// `block_sync` that returns the conjunction of their votes.
__device__ INLAY_INLINE bool block_sync_all(bool x) { return __syncthreads_and(x); }
/// Waits for all threads of the block, which may wait at different places in the code.
__device__ INLAY_INLINE void block_barrier() { asm volatile("barrier.sync 0;" ::: "memory"); }
/// Waits for `threads` threads of the block, whole warps; `id`: 1 to 15.
__device__ INLAY_INLINE void named_barrier(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
/// Arrives at it without waiting.
__device__ INLAY_INLINE void named_barrier_arrive(int id, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
