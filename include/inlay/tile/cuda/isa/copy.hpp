// SPDX-License-Identifier: Apache-2.0
/// `cp.async`: from global to shared memory in the background, without registers, with zero fill.
#pragma once

#include <inlay/core/config.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A pointer into shared memory as the 32-bit address that PTX takes.
__device__ INLAY_INLINE std::uint32_t shared_address(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// Copies Bytes (16, 8 or 4; both sides aligned to as many) in the background, of which only the first `size` are read
/// and the rest become zeros. 16 bytes pass by the first-level cache.
template <int Bytes>
__device__ INLAY_INLINE void copy_async_part(std::uint32_t to, const void* from, int size) {
    static_assert(Bytes == 16 || Bytes == 8 || Bytes == 4);
    if constexpr (Bytes == 16)
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(size)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Bytes), "r"(size)
                     : "memory");
}
/// A copy under way between `copy_async_where` and `land`: nothing, as `cp.async` needs no registers.
struct CopySlot {};
/// Begins to copy 16 bytes, of which the first `size` are read, where `on`; nothing else, without a branch.
__device__ INLAY_INLINE void copy_async_where(CopySlot&, bool on, std::uint32_t to, const void* from, int size) {
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.s32 p, %3, 0;\n"
        " @p cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;\n}" ::"r"(to), "l"(from), "r"(size),
        "r"(static_cast<int>(on))
        : "memory");
}
/// Stores what a copy has loaded, before its group is closed. `cp.async` has done so.
__device__ INLAY_INLINE void land(const CopySlot&) {}
/// Closes the group of copies issued since the last one.
__device__ INLAY_INLINE void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most N of this thread's groups are still under way; copies of other threads need a barrier too.
template <int N>
__device__ INLAY_INLINE void copy_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
