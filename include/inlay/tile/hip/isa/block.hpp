// SPDX-License-Identifier: Apache-2.0
/// Threads of a block and blocks of a grid, both of one dimension: their numbers, and the barriers of a block.
#pragma once

#include <inlay/tile/hip/isa/lanes.hpp>
#include <inlay/tile/hip/isa/language.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// This thread's number in its block, and the number of those.
template <class I = int>
__device__ INLAY_INLINE I thread_index() {
    return static_cast<I>(__builtin_amdgcn_workitem_id_x());
}
template <class I = int>
__device__ INLAY_INLINE I block_threads() {
    return static_cast<I>(__builtin_amdgcn_workgroup_size_x());
}

/// This block's number in the grid. A grid has less than 2^31 blocks.
template <class I = int>
__device__ INLAY_INLINE I block_index() {
    return static_cast<I>(__builtin_amdgcn_workgroup_id_x());
}
/// Blocks of the grid. The hardware counts threads.
__device__ INLAY_INLINE int blocks_of_grid() {
    return static_cast<int>(__builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x());
}

/// Waits for all threads of the block, at one place in the code; their earlier writes are then visible to each other.
__device__ INLAY_INLINE void block_sync() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
/// `block_sync` that returns the conjunction of all threads' votes.
__device__ inline bool block_sync_all(bool x) {
    __shared__ int against;
    block_sync();
    if (thread_index() == 0) against = 0;
    block_sync();
    if (!x) against = 1;
    block_sync();
    return against == 0;
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
