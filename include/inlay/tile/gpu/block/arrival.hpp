// SPDX-License-Identifier: Apache-2.0
/// Blocks that wait for each other's results inside a kernel, and the last block of several. Words and counters are 0
/// before and after.
#pragma once

#include <inlay/tile/gpu/block/moments.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Adds 1 to a counter that returns to 0 with the last of `team`. True for the last, to which the others' earlier
/// writes are then visible.
__device__ INLAY_INLINE bool count_last(std::uint32_t* counter, int team) {
    const std::uint32_t limit = static_cast<std::uint32_t>(team) - 1;
    return count_wrapping(counter, limit) == limit;
}

/// Called by all threads of a block. True for the last of `team` blocks to call it, to which the others' earlier writes
/// are then visible. `last`: in shared memory, and free.
__device__ INLAY_INLINE bool last_of(std::uint32_t* counter, int team, bool& last) {
    complete_writes();
    block_sync();
    if (thread_index() == 0) last = count_last(counter, team);
    block_sync();
    return last;
}
/// The same with a variable of its own.
__device__ inline bool last_of(std::uint32_t* counter, int team) {
    __shared__ bool last;
    return last_of(counter, team, last);
}

/// Hands over moments. They are their own flag: one word, never 0, because the sign bit, which m2 ≥ 0 does not need, is
/// set.
__device__ INLAY_INLINE void hand_over(std::uint64_t* word, const MeanM2& m) {
    const std::uint64_t high = float_bits(m.m2) | 0x80000000u, bits = high << 32 | float_bits(m.mean);
    store_relaxed(word, bits);
}
/// Returns once they are there. The sender must be resident, as all blocks of a cooperative launch are.
__device__ INLAY_INLINE MeanM2 receive(const std::uint64_t* word) {
    std::uint64_t bits = 0;
    while (bits == 0) bits = load_relaxed(word);
    return {float_of_bits(static_cast<std::uint32_t>(bits)),
            float_of_bits(static_cast<std::uint32_t>(bits >> 32) & 0x7fffffffu)};
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
