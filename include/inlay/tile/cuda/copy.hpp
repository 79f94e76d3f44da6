// SPDX-License-Identifier: Apache-2.0
/// The copy engine of the portable engine: `cp.async` from global to shared memory without registers, with zero fill,
/// `ldmatrix` from shared memory to the fragments of an atom, and the swizzle that keeps both free of bank conflicts.
#pragma once

#include <inlay/core/config.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::cuda {

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
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(size) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Bytes), "r"(size)
                     : "memory");
}
/// Copies Bytes; zeros instead where `ok` is false, and `from` is not read then.
template <int Bytes = 16>
__device__ INLAY_INLINE void copy_async(std::uint32_t to, const void* from, bool ok = true) {
    copy_async_part<Bytes>(to, from, ok ? Bytes : 0);
}
/// Copies 16 bytes, of which the first `size` are read, where `on`; nothing else, without a branch.
__device__ INLAY_INLINE void copy_async_where(bool on, std::uint32_t to, const void* from, int size) {
    asm volatile(
        "{\n .reg .pred p;\n setp.ne.s32 p, %3, 0;\n"
        " @p cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;\n}" ::"r"(to), "l"(from), "r"(size),
        "r"(static_cast<int>(on))
        : "memory");
}
/// Closes the group of copies issued since the last one.
__device__ INLAY_INLINE void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most N of this thread's groups are still under way; what other threads copied needs a barrier too.
template <int N>
__device__ INLAY_INLINE void copy_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/// Four 8×8 matrices of 16-bit elements (or 8×4 of 32-bit ones): lane i names row i % 8 of matrix i / 8, 16 bytes each.
/// Register j then holds of matrix j what `Atom::place` says: row lane / 4, 32 bits at column lane % 4.
__device__ INLAY_INLINE void load_matrices(std::uint32_t (&r)[4], std::uint32_t row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row)
                 : "memory");
}
/// Two matrices: lanes 0 to 15 name the rows.
__device__ INLAY_INLINE void load_matrices(std::uint32_t (&r)[2], std::uint32_t row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(row) : "memory");
}
/// Four of 16-bit elements, each transposed.
__device__ INLAY_INLINE void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row)
                 : "memory");
}

/// Tiles whose rows are chunks of 16 bytes, 8 to a row (64 halves, 32 floats) unless said. Chunk c of a row lies where
/// c ^ row says, so that the same chunk of eight rows, which is what `ldmatrix` reads, touches every bank once.
template <int Chunks = 8>
INLAY_FN constexpr std::uint32_t swizzled(int row, int chunk) {
    static_assert(Chunks >= 4 && (Chunks & (Chunks - 1)) == 0);
    const int turn = Chunks >= 8 ? row & 7 : (row >> 1) & 3;
    return static_cast<std::uint32_t>(row * Chunks * 16 + ((chunk ^ turn) << 4));
}

}  // namespace inlay::inline INLAY_ABI::cuda
