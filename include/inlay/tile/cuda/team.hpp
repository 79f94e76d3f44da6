// SPDX-License-Identifier: Apache-2.0
/// Blocks that meet inside a kernel, and the last block of several, on counters that are 0 before and after.
#pragma once

#include <inlay/core/config.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::cuda {

namespace detail {
/// Adds 1 to a counter that returns to 0 after `limit`, with what the block wrote before visible to who reads the
/// count.
__device__ INLAY_INLINE std::uint32_t count_released(std::uint32_t* counter, std::uint32_t limit) {
    std::uint32_t before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(limit) : "memory");
    return before;
}
__device__ INLAY_INLINE std::uint32_t load_acquired(const std::uint32_t* counter) {
    std::uint32_t count;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(count) : "l"(counter) : "memory");
    return count;
}
}  // namespace detail

/// Returns once all blocks of a team have called it, and what each wrote to global memory before is visible to all. A
/// counter serves one meeting of a launch; all blocks of the team must be resident, as those of a cooperative launch
/// are.
__device__ inline void meet(std::uint32_t* counter, int team) {
    __syncthreads();
    if (threadIdx.x == 0) {
        const std::uint32_t all = static_cast<std::uint32_t>(team);
        detail::count_released(counter, 2 * all - 1);
        while (detail::load_acquired(counter) < all) {}
        atomicInc(counter, 2 * all - 1);  // departures count on: the last leaves 0
    }
    __syncthreads();
}

/// Whether this block is the last of `team` to call it, which then sees what the others wrote before.
__device__ inline bool last_of(std::uint32_t* counter, int team) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        const std::uint32_t all = static_cast<std::uint32_t>(team);
        last = detail::count_released(counter, all - 1) == all - 1;
    }
    __syncthreads();
    return last;
}

}  // namespace inlay::inline INLAY_ABI::cuda
