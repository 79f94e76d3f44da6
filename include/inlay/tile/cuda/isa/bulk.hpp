// SPDX-License-Identifier: Apache-2.0
/// Copies of whole rows to shared memory under barriers, by the copy engine of sm_90, else by `cp.async`: the same
/// calls on both. A warp copies, and all of its lanes call these functions.
#pragma once

#include <inlay/tile/cuda/isa/barrier.hpp>
#include <inlay/tile/cuda/isa/lanes.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// Arrivals that complete a barrier of copied rows.
inline constexpr int copy_arrivals = 1;
#else
inline constexpr int copy_arrivals = warp_size;
#endif

/// Makes barriers that were initialised visible to the copy engine; a barrier of the block makes them so to its
/// threads.
__device__ INLAY_INLINE void fence_copy_barriers() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    fence_barriers();
#endif
}

/// Copies `rows` rows of `bytes` bytes, a multiple of 16, to `to(row)` from `from(row)`; the barrier completes with
/// them.
template <class To, class From>
__device__ INLAY_INLINE void copy_rows(std::uint32_t bar, int rows, int bytes, const To& to, const From& from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (lane_index() == 0) barrier_expect(bar, static_cast<std::uint32_t>(rows * bytes));
    warp_sync();
#pragma unroll 1
    for (int r = lane_index(); r < rows; r += warp_size)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to(r)),
            "l"(from(r)), "r"(bytes), "r"(bar)
            : "memory");
#else
#pragma unroll 1
    for (int r = 0; r < rows; ++r)
#pragma unroll 1
        for (int b = lane_index() * 16; b < bytes; b += warp_size * 16)
            copy_async_part<16>(to(r) + static_cast<std::uint32_t>(b), reinterpret_cast<const char*>(from(r)) + b, 16);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(bar) : "memory");
#endif
}

/// True if the phase of this parity is complete.
__device__ INLAY_INLINE bool barrier_test(std::uint32_t bar, std::uint32_t parity) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    return barrier_try_wait(bar, parity);
#else
    std::uint32_t done;
    asm volatile("{\n .reg .pred p;\n mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(bar), "r"(parity)
                 : "memory");
    return done != 0;
#endif
}

/// Orders this thread's writes to global memory before copies that a thread begins which is ordered behind it.
__device__ INLAY_INLINE void fence_global_for_engines() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.global;" ::: "memory");
#endif
}

/// Clocks of this multiprocessor.
__device__ INLAY_INLINE long long clocks() { return clock64(); }
/// Spends about so many clocks.
__device__ INLAY_INLINE void spend_clocks(long long n) {
    for (const long long begin = clocks(); clocks() - begin < n;) {
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
