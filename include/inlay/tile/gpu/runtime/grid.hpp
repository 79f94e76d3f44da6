// SPDX-License-Identifier: Apache-2.0
/// The grid of a launch.
#pragma once

#include <inlay/core/extents.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI::on_gpu {

struct Grid {
    index_t blocks = 1;             ///< along x; 0: nothing is launched
    int threads = 128;
    std::size_t shared = 0;         ///< dynamic shared memory, bytes
    bool cooperative = false;       ///< all blocks are resident at once, so that they may wait for each other
    int cluster = 1;                ///< blocks that run together on sm_90 and reach each other's memory, at most 8
    /// Its threads call `after_previous_kernel`: it may begin before that has ended. Small blocks then crowd on the
    /// multiprocessors that are idle, which costs more than it saves where each should have one of its own.
    bool overlaps = false;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
