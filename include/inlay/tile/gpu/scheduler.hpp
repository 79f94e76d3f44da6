// SPDX-License-Identifier: Apache-2.0
/// Tile schedulers: how the blocks of a grid share its work tiles, which are numbered from 0. Only they read a block's
/// place in its grid, so that a kernel's body runs under another one as well, or inside another kernel. They read it
/// where it is used: read once for all roles of a block, it would take a register of each.
///
/// The order of tiles is their family's (`GemmWorkTile`, `WgmmaTileScheduler`, `flash::WorkTile`,
/// `WgmmaAttentionWorkTile`): it decides which blocks find rows in the cache and which tiles come first. Each family
/// divides by what its grid has prepared.
#pragma once

#include <inlay/tile/gpu/isa.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// One work tile a block. `I`: an `index_t` saves the instruction that widens an `int`.
struct TileOfBlock {
    template <class I = int>
    __device__ INLAY_INLINE I tile() const {
        return block_index<I>();
    }
};
/// One that the caller has chosen: a body inside another kernel.
struct OneTile {
    int number;

    template <class I = int>
    __device__ INLAY_INLINE I tile() const {
        return static_cast<I>(number);
    }
};

/// True under a scheduler whose caller runs bodies in a loop. A register that a body leaves undefined on some path, such
/// as one that only a loop's first step writes, is live all around that loop and lost to the other bodies there: a body
/// defines its registers before.
template <class Tiles>
inline constexpr bool runs_in_loop = std::is_same_v<Tiles, OneTile>;

/// A tile's number as that of a team of tiles and of a member in it: a batch item and a block of it, a cluster and a
/// rank in it.
struct TeamTile {
    int team, member;

    __device__ INLAY_INLINE static TeamTile of(int tile, int size) { return in(tile / size, tile, size); }
    /// `by_size` divides by the size faster.
    template <class Divisor>
    __device__ INLAY_INLINE static TeamTile of(int tile, int size, const Divisor& by_size) {
        return in(by_size.divide(tile), tile, size);
    }

private:
    __device__ INLAY_INLINE static TeamTile in(int team, int tile, int size) { return {team, tile - team * size}; }
};

/// Persistent blocks: each begins with the tile of its number, and goes on by the number of blocks.
struct PersistentTiles {
    __device__ INLAY_INLINE int first() const { return block_index(); }
    __device__ INLAY_INLINE int stride() const { return blocks_of_grid(); }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
