// SPDX-License-Identifier: Apache-2.0
/// Loads and stores at addresses in shared memory, in one piece, and between blocks. Their types may alias others, as
/// memory that an instruction names may hold anything.
#pragma once

#include <inlay/tile/hip/isa/language.hpp>

#include <cstdint>
#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

template <class T>
using Shared = __attribute__((address_space(3))) T;
template <class T>
using Global = __attribute__((address_space(1))) T;
template <class T>
using Constant = __attribute__((address_space(4))) T;

using Words4 = std::uint32_t __attribute__((ext_vector_type(4)));
using Words2 = std::uint32_t __attribute__((ext_vector_type(2)));
template <class T>
struct MayAlias {
    typedef T __attribute__((may_alias)) type;
};

template <class T>
__device__ INLAY_INLINE Shared<typename MayAlias<T>::type>* at_shared(std::uint32_t address) {
    return (Shared<typename MayAlias<T>::type>*)static_cast<std::uintptr_t>(address);
}
template <class T>
__device__ INLAY_INLINE const Global<typename MayAlias<T>::type>* at_global(const void* p) {
    return (const Global<typename MayAlias<T>::type>*)p;
}
template <class T>
__device__ INLAY_INLINE Global<typename MayAlias<T>::type>* at_global(void* p) {
    return (Global<typename MayAlias<T>::type>*)p;
}
__device__ INLAY_INLINE Words4 words(const uint4& x) { return Words4{x.x, x.y, x.z, x.w}; }

}  // namespace detail

/// The only parameter of a kernel, where it was passed: what is not read yet takes no register. The variable itself is
/// a copy, of which the compiler would keep every element from the start of the kernel on.
template <class Arguments>
__device__ INLAY_INLINE const Arguments& in_place(const Arguments&) {
    return *(const Arguments*)__builtin_amdgcn_kernarg_segment_ptr();
}
/// The same place, as if it were another: what follows from it is read here, and takes no register before. Without
/// optimisation an address lies in memory, from where clang brings it to no scalar register.
template <class Arguments>
__device__ INLAY_INLINE const Arguments& again(const Arguments& arguments) {
#if defined(__OPTIMIZE__)
    auto p = (const detail::Constant<Arguments>*)&arguments;
    asm volatile("" : "+s"(p));
    return *(const Arguments*)p;
#else
    return arguments;
#endif
}

/// 32 bits at an address in shared memory.
__device__ INLAY_INLINE std::uint32_t load_shared(std::uint32_t address) {
    return *detail::at_shared<std::uint32_t>(address);
}
/// The 16 bits there.
__device__ INLAY_INLINE std::uint32_t load_shared_half(std::uint32_t address) {
    return *detail::at_shared<std::uint16_t>(address);
}
/// 8 bytes there, a multiple of 8.
__device__ INLAY_INLINE uint2 load_shared_half_chunk(std::uint32_t address) {
    const detail::Words2 w = *detail::at_shared<detail::Words2>(address);
    return uint2{w.x, w.y};
}
/// 16 bytes there, a multiple of 16.
__device__ INLAY_INLINE uint4 load_shared_chunk(std::uint32_t address) {
    const detail::Words4 w = *detail::at_shared<detail::Words4>(address);
    return uint4{w.x, w.y, w.z, w.w};
}
__device__ INLAY_INLINE void store_shared(std::uint32_t address, std::uint16_t x) {
    *detail::at_shared<std::uint16_t>(address) = x;
}
__device__ INLAY_INLINE void store_shared(std::uint32_t address, std::uint32_t x) {
    *detail::at_shared<std::uint32_t>(address) = x;
}
__device__ INLAY_INLINE void store_shared(std::uint32_t address, float x) { *detail::at_shared<float>(address) = x; }
__device__ INLAY_INLINE void store_shared(std::uint32_t address, const uint4& x) {
    *detail::at_shared<detail::Words4>(address) = detail::words(x);
}

/// A word, or 16 bytes, of global memory.
template <class T>
__device__ INLAY_INLINE T load_global(const void* p) {
    static_assert(std::is_same_v<T, uint4> || std::is_same_v<T, std::uint32_t>);
    if constexpr (std::is_same_v<T, uint4>) {
        const detail::Words4 w = *detail::at_global<detail::Words4>(p);
        return uint4{w.x, w.y, w.z, w.w};
    } else {
        return *detail::at_global<std::uint32_t>(p);
    }
}
/// 16 bytes that are read once.
__device__ INLAY_INLINE uint4 load_streamed(const void* p) {
    const detail::Words4 w = __builtin_nontemporal_load(detail::at_global<detail::Words4>(p));
    return uint4{w.x, w.y, w.z, w.w};
}
/// No line is prefetched: gfx90a, gfx942 and gfx1100 have no such instruction.
__device__ INLAY_INLINE void prefetch_line(const void*) {}
/// Hides the value of x from the compiler: values that follow from it are computed anew behind here.
__device__ INLAY_INLINE void forget(int& x) { asm volatile("" : "+v"(x)); }

/// Four words, or two, to global memory by one store.
__device__ INLAY_INLINE void store_global(void* p, std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
    *detail::at_global<detail::Words4>(p) = detail::Words4{x, y, z, w};
}
__device__ INLAY_INLINE void store_global(void* p, std::uint32_t x, std::uint32_t y) {
    *detail::at_global<detail::Words2>(p) = detail::Words2{x, y};
}
/// The same if there is something to store.
__device__ INLAY_INLINE void store_global(bool there, void* p, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                                          std::uint32_t w) {
    if (there) store_global(p, x, y, z, w);
}
__device__ INLAY_INLINE void store_global(bool there, void* p, std::uint32_t x, std::uint32_t y) {
    if (there) store_global(p, x, y);
}

namespace detail {
/// The type in which a value of whole words crosses between blocks.
template <class T>
using Piece = std::conditional_t<sizeof(T) % 8 == 0, std::uint64_t, std::uint32_t>;
}  // namespace detail

/// A value that another block of the device wrote, past the caches of one compute unit, which may hold an older one:
/// pieces of 8 or 4 bytes, each as a whole.
template <class T>
__device__ INLAY_INLINE T load_l2(const T* p) {
    using Piece = typename detail::MayAlias<detail::Piece<T>>::type;
    static_assert(sizeof(T) % 4 == 0);
    Piece pieces[sizeof(T) / sizeof(Piece)];
    INLAY_UNROLL
    for (unsigned i = 0; i < sizeof(T) / sizeof(Piece); ++i)
        pieces[i] =
            __hip_atomic_load(reinterpret_cast<const Piece*>(p) + i, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    T x;
    __builtin_memcpy(&x, pieces, sizeof(T));
    return x;
}
/// A value for other blocks, which leaves nothing in those caches.
template <class T>
__device__ INLAY_INLINE void store_l2(T* p, const T& x) {
    using Piece = typename detail::MayAlias<detail::Piece<T>>::type;
    static_assert(sizeof(T) % 4 == 0);
    Piece pieces[sizeof(T) / sizeof(Piece)];
    __builtin_memcpy(pieces, &x, sizeof(T));
    INLAY_UNROLL
    for (unsigned i = 0; i < sizeof(T) / sizeof(Piece); ++i)
        __hip_atomic_store(reinterpret_cast<Piece*>(p) + i, pieces[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Orders this thread's memory accesses for the whole device: earlier writes are visible before later ones, and later
/// reads are not older than earlier ones.
__device__ INLAY_INLINE void fence_device() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
/// Returns once this thread's earlier writes are in the device's memory, where another thread of the block, past the
/// next barrier, is to say so to other blocks. A barrier's release is for the block: on gfx9 it leaves writes under
/// way, and the fence of that other thread waits for those of its own wave alone.
__device__ INLAY_INLINE void complete_writes() {
#if INLAY_GFX9
    asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
#else
    asm volatile("s_waitcnt_vscnt null, 0x0" ::: "memory");
#endif
}
/// Adds to a word of the device's memory; returns its old value. Orders nothing else.
__device__ INLAY_INLINE std::uint32_t add_atomically(std::uint32_t* word, std::uint32_t x) {
    return __hip_atomic_fetch_add(word, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
/// Adds 1 to a counter of the device's, which becomes 0 after `limit`; returns its old value. Writes of other threads
/// before they counted are visible afterwards.
__device__ INLAY_INLINE std::uint32_t count_wrapping(std::uint32_t* counter, std::uint32_t limit) {
    return __builtin_amdgcn_atomic_inc32(counter, limit, __ATOMIC_ACQ_REL, "agent");
}
/// A word that becomes visible to other blocks of the device as a whole, eventually.
__device__ INLAY_INLINE void store_relaxed(std::uint64_t* word, std::uint64_t bits) {
    __hip_atomic_store(word, bits, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ INLAY_INLINE std::uint64_t load_relaxed(const std::uint64_t* word) {
    return __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ INLAY_INLINE std::uint32_t load_relaxed(const std::uint32_t* word) {
    return __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Ends the kernel with an error that the host sees at its next call.
__device__ INLAY_INLINE void stop_kernel() { __builtin_trap(); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
