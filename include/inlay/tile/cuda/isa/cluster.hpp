// SPDX-License-Identifier: Apache-2.0
/// Stores of a block to the shared memory of another block of its cluster, without a copy engine. Addresses are those
/// of `shared_address`.
#pragma once

#include <inlay/core/config.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Stores a word to `to`, a multiple of 8, in the shared memory of block `rank` of the cluster, whose barrier at `bar`
/// counts 8 bytes when it is there.
__device__ INLAY_INLINE void send_to_block(std::uint32_t to, std::uint64_t word, std::uint32_t bar,
                                           std::uint32_t rank) {
    asm volatile(
        "{\n .reg .b32 t, b;\n mapa.shared::cluster.u32 t, %0, %3;\n mapa.shared::cluster.u32 b, %2, %3;\n"
        " st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [t], %1, [b];\n}" ::"r"(to),
        "l"(word), "r"(bar), "r"(rank)
        : "memory");
}

/// Stores four words, 16 bytes, to `to`, a multiple of 16.
__device__ INLAY_INLINE void send_to_block(std::uint32_t to, float x, float y, float z, float w, std::uint32_t bar,
                                           std::uint32_t rank) {
    asm volatile(
        "{\n .reg .b32 t, b;\n mapa.shared::cluster.u32 t, %0, %6;\n mapa.shared::cluster.u32 b, %5, %6;\n"
        " st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [t], {%1, %2, %3, %4}, [b];\n}" ::"r"(to),
        "f"(x), "f"(y), "f"(z), "f"(w), "r"(bar), "r"(rank)
        : "memory");
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
