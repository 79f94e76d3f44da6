// SPDX-License-Identifier: Apache-2.0
/// Loads and stores whose form the compiler must not choose: of words at addresses in shared memory, past the
/// first-level cache, in one piece, and between blocks.
#pragma once

#include <inlay/core/config.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::cuda {

/// 32 bits at an address in shared memory.
__device__ INLAY_INLINE std::uint32_t load_shared(std::uint32_t address) {
    std::uint32_t r;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(r) : "r"(address) : "memory");
    return r;
}
__device__ INLAY_INLINE void store_shared(std::uint32_t address, std::uint16_t x) {
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"(x) : "memory");
}
__device__ INLAY_INLINE void store_shared(std::uint32_t address, float x) {
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(x) : "memory");
}

/// 16 bytes that no kernel writes while this one runs and that are read once.
__device__ INLAY_INLINE uint4 load_streamed(const void* p) {
    uint4 q;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w)
                 : "l"(p));
    return q;
}
/// Asks for the 128 bytes around `p`, which some thread will read, in the second-level cache.
__device__ INLAY_INLINE void prefetch_line(const void* p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}
/// Four words, or two, to global memory by one store, which the compiler would split at times.
__device__ INLAY_INLINE void store_global(void* p, std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
}
__device__ INLAY_INLINE void store_global(void* p, std::uint32_t x, std::uint32_t y) {
    asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(p), "r"(x), "r"(y) : "memory");
}

/// Adds 1 to a counter of the device's, which becomes 0 after `limit`; returns what it was. Who counts sees what others
/// wrote before they counted.
__device__ INLAY_INLINE std::uint32_t count_wrapping(std::uint32_t* counter, std::uint32_t limit) {
    std::uint32_t before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(limit) : "memory");
    return before;
}
/// A word that other blocks of the device see, whole, sooner or later.
__device__ INLAY_INLINE void store_relaxed(std::uint64_t* word, std::uint64_t bits) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(bits) : "memory");
}
__device__ INLAY_INLINE std::uint64_t load_relaxed(const std::uint64_t* word) {
    std::uint64_t bits;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(word) : "memory");
    return bits;
}

}  // namespace inlay::inline INLAY_ABI::cuda
