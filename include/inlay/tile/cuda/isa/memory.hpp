// SPDX-License-Identifier: Apache-2.0
/// Loads and stores whose form the compiler must not change: of words at addresses in shared memory, past the
/// first-level cache, in one piece, and between blocks.
#pragma once

#include <inlay/core/config.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The only parameter of a kernel, where it was passed.
template <class Arguments>
__device__ INLAY_INLINE const Arguments& in_place(const Arguments& arguments) {
    return arguments;
}
/// The same place, to be read anew where a vendor has few registers: here instructions have arguments.
template <class Arguments>
__device__ INLAY_INLINE const Arguments& again(const Arguments& arguments) {
    return arguments;
}

/// 32 bits at an address in shared memory.
__device__ INLAY_INLINE std::uint32_t load_shared(std::uint32_t address) {
    std::uint32_t r;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(r) : "r"(address) : "memory");
    return r;
}
__device__ INLAY_INLINE void store_shared(std::uint32_t address, std::uint16_t x) {
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"(x) : "memory");
}
__device__ INLAY_INLINE void store_shared(std::uint32_t address, std::uint32_t x) {
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(x) : "memory");
}
__device__ INLAY_INLINE void store_shared(std::uint32_t address, float x) {
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(x) : "memory");
}
__device__ INLAY_INLINE void store_shared(std::uint32_t address, const uint4& x) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
                 : "memory");
}

/// 16 bytes that are read once. Not by the path of read-only data, whose loads may move before the end of the kernel
/// before.
__device__ INLAY_INLINE uint4 load_streamed(const void* p) {
    uint4 q;
    asm volatile("ld.global.L1::no_allocate.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w)
                 : "l"(p));
    return q;
}
/// 16 bytes, loaded here and not where they are used; zeros if there are none.
__device__ INLAY_INLINE uint4 load_now(const void* p, bool some) {
    uint4 q;
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.b32 p, %5, 0;\n"
        " mov.b32 %0, 0;\n mov.b32 %1, 0;\n mov.b32 %2, 0;\n mov.b32 %3, 0;\n"
        " @p ld.global.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
        : "=&r"(q.x), "=&r"(q.y), "=&r"(q.z), "=&r"(q.w)
        : "l"(p), "r"(static_cast<int>(some)));
    return q;
}
/// Prefetches the 128 bytes around `p` into the second-level cache.
__device__ INLAY_INLINE void prefetch_line(const void* p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}
/// The same for `bytes` from `p` on, both multiples of 16, where kernels begin before others have ended: on sm_90 and
/// newer. One thread prefetches all of them.
__device__ INLAY_INLINE void prefetch_span(const void* p, int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(p), "r"(bytes) : "memory");
#endif
}
/// Hides the value of x from the compiler: values that follow from it are computed anew behind here.
__device__ INLAY_INLINE void forget(int& x) { asm volatile("" : "+r"(x)); }
/// Computes an address here, once, and keeps it.
template <class T>
__device__ INLAY_INLINE void keep_address(const T*& p) {
    asm volatile("" : "+l"(p));
}
/// Four words, or two, to global memory by one store, which the compiler would split at times.
__device__ INLAY_INLINE void store_global(void* p, std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
}
__device__ INLAY_INLINE void store_global(void* p, std::uint32_t x, std::uint32_t y) {
    asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(p), "r"(x), "r"(y) : "memory");
}
/// The same if there is something to store, without a branch: the value is computed in any case.
__device__ INLAY_INLINE void store_global(bool there, void* p, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                                          std::uint32_t w) {
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %5, 0;\n @p st.global.v4.b32 [%0], {%1, %2, %3, %4};\n}" ::"l"(p),
                 "r"(x), "r"(y), "r"(z), "r"(w), "r"(static_cast<int>(there))
                 : "memory");
}
__device__ INLAY_INLINE void store_global(bool there, void* p, std::uint32_t x, std::uint32_t y) {
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %3, 0;\n @p st.global.v2.b32 [%0], {%1, %2};\n}" ::"l"(p), "r"(x),
                 "r"(y), "r"(static_cast<int>(there))
                 : "memory");
}

/// A value that another block of the device wrote, past the first-level cache, which may hold an older one.
template <class T>
__device__ INLAY_INLINE T load_l2(const T* p) {
    return __ldcg(p);
}
/// A value for other blocks, which leaves nothing in the first-level cache.
template <class T>
__device__ INLAY_INLINE void store_l2(T* p, const T& x) {
    __stcg(p, x);
}

/// Orders this thread's memory accesses for the whole device: earlier writes are visible before later ones, and later
/// reads are not older than earlier ones.
__device__ INLAY_INLINE void fence_device() { __threadfence(); }
/// Writes that a barrier made visible to the block go with the fence of any of its threads: nothing is waited for.
__device__ INLAY_INLINE void complete_writes() {}
/// Adds to a word of the device's memory; returns its old value. Orders nothing else.
__device__ INLAY_INLINE std::uint32_t add_atomically(std::uint32_t* word, std::uint32_t x) {
    return atomicAdd(word, x);
}
/// Adds 1 to a counter of the device's, which becomes 0 after `limit`; returns its old value. Writes of other threads
/// before they counted are visible afterwards.
__device__ INLAY_INLINE std::uint32_t count_wrapping(std::uint32_t* counter, std::uint32_t limit) {
    std::uint32_t before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(limit) : "memory");
    return before;
}
/// A word that becomes visible to other blocks of the device as a whole, eventually.
__device__ INLAY_INLINE void store_relaxed(std::uint64_t* word, std::uint64_t bits) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(bits) : "memory");
}
__device__ INLAY_INLINE std::uint64_t load_relaxed(const std::uint64_t* word) {
    std::uint64_t bits;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(word) : "memory");
    return bits;
}
__device__ INLAY_INLINE std::uint32_t load_relaxed(const std::uint32_t* word) {
    std::uint32_t bits;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(bits) : "l"(word) : "memory");
    return bits;
}

/// Ends the kernel with an error that the host sees at its next call.
__device__ INLAY_INLINE void stop_kernel() { __trap(); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
