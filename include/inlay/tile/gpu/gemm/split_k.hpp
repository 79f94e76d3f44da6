// SPDX-License-Identifier: Apache-2.0
/// Split-K: the sums of a tile whose slices several blocks have. Blocks meet two by two: the first to come to a meeting
/// leaves its sums in memory, the second adds them to its own and goes on to the next meeting. Which two meet depends
/// on their numbers alone and a + b = b + a, so the result does not depend on the order in which they come.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/tile/gpu/gemm/work_tile.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Meets the other slices of the tile. True for the block that ends up with the sum of all. `sums`: a thread's, of
/// which a block's take `floats` in memory, with `leave(to, thread)` and `add(from, thread)`. `partial`: room for every
/// slice of every tile; `semaphores`: one counter for each of them, 0 before and after. Slices are blocks: they fit 31
/// bits. Not `last_of`: the last block would add all slices alone, where half of them add at the same time.
template <class Sums>
__device__ bool meet_slices(Sums& sums, float* partial, std::uint32_t* semaphores, int tile, int slice,
                           int slices, const Thread& t) {
    __shared__ std::uint32_t arrived;
    const auto place = [&](int p) {
        return partial + static_cast<index_t>(tile * slices + p) * Sums::floats;
    };
    for (int level = 0; 1 << level < slices; ++level) {
        const int mine = slice >> level, other = mine ^ 1;
        if (other << level >= slices) continue;
        // The sum of slices [g << level, …) lies at g << level; the meeting has a number of its own below `slices`.
        std::uint32_t* const meeting = semaphores + tile * slices + ((mine | 1) << level);
        if (t.id == 0) arrived = add_atomically(meeting, 1u);
        block_sync();
        const bool first = arrived == 0;
        if (first) {
            sums.leave(place(mine << level), t);
            fence_device();
            block_sync();
            if (t.id == 0) add_atomically(meeting, 2u);
            return false;
        }
        if (t.id == 0) {
            while (add_atomically(meeting, 0u) < 4u) {}  // the other block is running and about to leave its sums
            *meeting = 0;
        }
        block_sync();
        fence_device();
        sums.add(place(other << level), t);
    }
    return true;
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
