// SPDX-License-Identifier: Apache-2.0
/// The copy engine of the portable engine: `cp.async` from global to shared memory, `ldmatrix` from there to the
/// fragments of an atom, and the swizzle that keeps both free of bank conflicts.
#pragma once

#include <inlay/tile/gpu/isa.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Copies Bytes; zeros instead where `ok` is false, and `from` is not read then.
template <int Bytes = 16>
__device__ INLAY_INLINE void copy_async(std::uint32_t to, const void* from, bool ok = true) {
    copy_async_part<Bytes>(to, from, ok ? Bytes : 0);
}

/// Tiles whose rows are chunks of 16 bytes, 8 to a row (64 halves, 32 floats) unless said. Chunk c of a row lies at
/// place c ^ row, so that the same chunk of eight rows, as `ldmatrix` reads it, touches every bank once.
template <int Chunks = 8>
INLAY_FN constexpr std::uint32_t swizzled(int row, int chunk) {
    static_assert(Chunks >= 4 && (Chunks & (Chunks - 1)) == 0);
    const int turn = Chunks >= 8 ? row & 7 : (row >> 1) & 3;
    return static_cast<std::uint32_t>(row * Chunks * 16 + ((chunk ^ turn) << 4));
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
