// SPDX-License-Identifier: Apache-2.0
/// Synchronisation of threads and copy engines of sm_90: barriers in shared memory that count arrivals and bytes,
/// clusters of blocks, and fences. Addresses are those of `shared_address`.
#pragma once

#include <inlay/tile/cuda/isa/block.hpp>
#include <inlay/tile/cuda/isa/copy.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A barrier of 8 bytes at `bar` that completes a phase after so many arrivals and all bytes that they announced.
/// Others may use it after `fence_barriers` and a barrier of the block or of the cluster.
__device__ INLAY_INLINE void barrier_init(std::uint32_t bar, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(arrivals) : "memory");
}
__device__ INLAY_INLINE void fence_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ INLAY_INLINE void barrier_arrive(std::uint32_t bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
/// Arrives and announces `bytes` that copy engines will bring in this phase.
__device__ INLAY_INLINE void barrier_expect(std::uint32_t bar, std::uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
/// True if the phase of this parity is complete; waits for it a while. Parity 0 is the first phase, and parity 1 of a
/// new barrier counts as complete.
__device__ INLAY_INLINE bool barrier_try_wait(std::uint32_t bar, std::uint32_t parity) {
    std::uint32_t done;
    asm volatile(
        "{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(bar), "r"(parity)
        : "memory");
    return done != 0;
}
/// Waits for it. A build with INLAY_WAIT_LIMIT ends the kernel with an error after so many clocks, to find waits that
/// never end.
__device__ INLAY_INLINE void barrier_wait(std::uint32_t bar, std::uint32_t parity) {
#if defined(INLAY_WAIT_LIMIT)
    const long long begin = clock64();
    while (!barrier_try_wait(bar, parity))
        if (clock64() - begin > INLAY_WAIT_LIMIT) __trap();
#else
    while (!barrier_try_wait(bar, parity)) {}
#endif
}

/// Makes this thread's writes to shared memory visible to copy engines and the matrix unit.
__device__ INLAY_INLINE void fence_shared_for_engines() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Arrives at the barrier of the cluster, which `cluster_wait` waits for, and orders no memory: a release would wait
/// until all stores have left the chip.
__device__ INLAY_INLINE void cluster_arrive() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
/// Waits for every thread of the cluster.
__device__ INLAY_INLINE void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ INLAY_INLINE void cluster_barrier() {
    cluster_arrive();
    cluster_wait();
}

/// Registers of each thread of the warpgroup that executes this, from here on: a multiple of 8.
template <int N>
__device__ INLAY_INLINE void lower_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}
template <int N>
__device__ INLAY_INLINE void raise_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
