// SPDX-License-Identifier: Apache-2.0
/// The work tile of a block of a matrix product: a tile of C, and a slice of the sum.
#pragma once

#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A thread's numbers in its block and warp.
struct Thread {
    int id, lane, warp;
    __device__ Thread() : id(thread_index()), lane(id % warp_size), warp(id / warp_size) {}
};

/// A work tile: the tile of C and the split-K slice that a block computes.
struct GemmWorkTile {
    static constexpr int tall = 8;
    int batch, slice, m0, n0;

    /// Blocks that run together share rows of A and of B: they go down groups of `tall` tiles.
    template <class Tile, class Args>
    __device__ static GemmWorkTile of(const Args& a, int block) {
        const int tiles = a.m_tiles * a.n_tiles;
        const int tile = block % tiles, rest = block / tiles;
        const int group = tile / (tall * a.n_tiles), in_group = tile % (tall * a.n_tiles);
        const int height = (::min)(tall, a.m_tiles - group * tall);
        return {rest / a.slices, rest % a.slices, (group * tall + in_group % height) * Tile::m,
                in_group / height * Tile::n};
    }
    /// The number of a block of the first matrix: of tile `m` down, tile `n` across.
    template <class Args>
    __device__ static int number(const Args& a, int m, int n, int slice) {
        const int group = m / tall, height = (::min)(tall, a.m_tiles - group * tall);
        return (slice * a.m_tiles + group * tall) * a.n_tiles + n * height + (m - group * tall);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
