// SPDX-License-Identifier: Apache-2.0
/// Tile schedulers: how the blocks of a grid share its work tiles, which are numbered from 0. Only they read a block's
/// place in its grid, so that a kernel's body runs under another one as well, or inside another kernel.
#pragma once

#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// One work tile a block.
struct TileOfBlock {
    int tile;

    __device__ INLAY_INLINE static TileOfBlock of_block() { return {block_index()}; }
};

/// Persistent blocks: each begins with the tile of its number, and goes on by the number of blocks.
struct PersistentTiles {
    int first;

    __device__ INLAY_INLINE static PersistentTiles of_block() { return {block_index()}; }
    /// From a block's tile to its next one, read anew by every call: it would take a register all along the loop.
    __device__ INLAY_INLINE int stride() const { return blocks_of_grid(); }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
