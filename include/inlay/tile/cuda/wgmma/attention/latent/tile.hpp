// SPDX-License-Identifier: Apache-2.0
/// The block tile of attention whose values are the first columns of its keys, as in multi-head latent attention with
/// its projections absorbed: one query of 64 heads that share a key head. The values are multiplied where the keys lie
/// in shared memory, so that a block of keys is copied once.
///
/// Two consumer warpgroups have the same 64 rows and half of the columns of V each: 64 × 512 sums in fp32 are the
/// registers of two. They take the scores of blocks of keys in turn, of the even and of the odd ones, and hand the
/// probabilities to each other through shared memory: in place of the columns of K that are no values, which only
/// the scores need.
///
/// Up to 8 blocks of a cluster have the same heads and a slice of the keys each where tiles do not fill the device, and
/// send each other their sums (`merge.hpp`).
#pragma once

#include <inlay/tile/cuda/isa/barrier.hpp>
#include <inlay/tile/cuda/isa/tma.hpp>
#include <inlay/tile/cuda/wgmma/attention/key_blocks.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

template <class T_, int D, int DV>
struct WgmmaLatentTile {
    using T = T_;
    static constexpr int d = D, rows = 64, keys = 64, threads = 128 * 3;
    static constexpr int own = DV / 2;                  ///< columns of a warpgroup's output
    static constexpr int atoms = D / 64, half = DV / 128;       ///< of 64 columns: of a row of K, of half a row of V
    static constexpr int atom_bytes = 64 * 128;         ///< of 64 rows, of Q, K or probabilities
    static constexpr int steps = 4, key_steps = keys / 16;      ///< products of an atom, and of probabilities
    static constexpr int stage_bytes = atoms * atom_bytes;
    /// Registers of a thread of the producer, and of a consumer.
    static constexpr int few = 24, many = 240;
    static constexpr int stage_barriers = 5, barriers = 2 + 2 * stage_barriers, barrier_bytes = 128;
    static constexpr int row_numbers = 64 * 4;          ///< bytes
    /// Q, two blocks of keys, and numbers of rows; 1 KB goes to alignment.
    static constexpr int shared = 1024 + 3 * stage_bytes + barrier_bytes + 4 * row_numbers;
    static_assert(D % 64 == 0 && DV % 128 == 0 && own <= 256 && D - DV == 64 && shared <= 227 * 1024 &&
                  8 * barriers <= barrier_bytes);
};

/// Kernel parameters.
template <class Epilogue_, class Sink_, class Environment>
struct WgmmaLatentArgs {
    using Epilogue = Epilogue_;
    using Sink = Sink_;

    TensorMap q, k;             ///< boxes of 64 columns and 64 heads, or keys
    Epilogue epilogue;
    Sink sink;
    ShortDivisor by_tiles{}, by_heads{};
    int tiles = 0, key_heads = 0, group = 0;    ///< tiles of the group of heads that share a key head
    int keys = 0;
    int log2_slices = 0;        ///< of the keys; a block of a cluster has one
    float scale = 0;            ///< of scores, times log2(e)
    Environment env{};          ///< of score, condition and row; `out`: the extents of scores
};

/// Addresses in a block's shared memory. Block i of keys lies in stage i % 2, the stage of the warpgroup that computes
/// its scores. Halves are those of the columns of V, and of the barriers of their copies; the columns behind V are
/// copied with the half that is copied last.
template <class Tile>
struct WgmmaLatentShared {
    std::uint32_t q;

    __device__ std::uint32_t k(int stage) const { return q + (1 + stage) * Tile::stage_bytes; }
    /// Keys' columns behind V, then the probabilities of the block.
    __device__ std::uint32_t tail(int stage) const { return k(stage) + (Tile::atoms - 1) * Tile::atom_bytes; }
    __device__ std::uint32_t q_full() const { return k(2); }
    __device__ std::uint32_t full(int stage, int half) const {
        return q_full() + 8 + 8 * (Tile::stage_barriers * stage + half);
    }
    __device__ std::uint32_t empty(int stage, int half) const { return full(stage, 2 + half); }
    __device__ std::uint32_t weighted(int stage) const { return full(stage, 4); }
    /// Barrier of the words that other blocks of the cluster send.
    __device__ std::uint32_t sent() const { return full(2, 0); }
    /// The number that the exponents of a row of probabilities are relative to.
    __device__ std::uint32_t shift(int stage) const {
        return q_full() + Tile::barrier_bytes + stage * Tile::row_numbers;
    }
    __device__ std::uint32_t sum(int half) const { return shift(2 + half); }

    /// Called by one thread. A barrier counts the warps of one warpgroup, or the thread that announces copies.
    __device__ void init() const {
        barrier_init(q_full(), 1);
        for (int stage = 0; stage < 2; ++stage) {
            for (int half = 0; half < 2; ++half) {
                barrier_init(full(stage, half), 1);
                barrier_init(empty(stage, half), 4);
            }
            barrier_init(weighted(stage), 4);
        }
        barrier_init(sent(), 1);
        fence_barriers();
    }
};

/// A work tile: heads of one key head, and a slice of the blocks of keys that some of them see.
template <class Tile, class Algebra>
struct WgmmaLatentWorkTile {
    using Visits = WgmmaVisits<Tile, Algebra>;

    int batch, key_head, first, head, end;      ///< first: in the group; heads [head, end)
    int rank;                   ///< in the cluster
    int blocks, first_block;    ///< first_block: the place of the first among the visited ones
    typename Visits::Blocks visited, full;

    /// All threads of the block call it together.
    template <class Args>
    __device__ INLAY_INLINE static WgmmaLatentWorkTile of(const Args& a, int block) {
        WgmmaLatentWorkTile t;
        // Tiles of a key head are neighbours: they read the same keys.
        const int tile = block >> a.log2_slices, item = a.by_tiles.divide(tile);
        t.rank = block - (tile << a.log2_slices);
        t.first = (tile - item * a.tiles) * Tile::rows;
        t.batch = a.by_heads.divide(item);
        t.key_head = item - t.batch * a.key_heads;
        t.head = t.key_head * a.group + t.first;
        t.end = t.head + (::min)(Tile::rows, a.group - t.first);
        const QueryTile rows{t.batch, t.head, t.end - t.head, 0, 1};
        t.visited = Visits::visited(a, rows);
        t.full = Visits::full(a, rows);
        const int all = t.visited.count(), slice = (all + (1 << a.log2_slices) - 1) >> a.log2_slices;
        t.first_block = (::min)(t.rank * slice, all);
        t.blocks = (::min)(slice, all - t.first_block);
        return t;
    }
    /// Number i of its blocks of keys.
    __device__ INLAY_INLINE int block(int i) const { return visited.block(first_block + i); }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
