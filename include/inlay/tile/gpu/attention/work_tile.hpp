// SPDX-License-Identifier: Apache-2.0
/// Work tiles of attention: query tiles, blocks of keys, splits of the keys among blocks.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/tile/gpu/attention/loads/operand.hpp>
#include <inlay/tile/gpu/attention/visited_blocks.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <cstdint>
#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// An attention as a grid of blocks. Rows are the queries of all heads that share a key head.
struct GridShape {
    int key_heads, group, queries, keys;
    int rows, tiles;            ///< group · queries, and blocks of threads they make
    int splits;                 ///< blocks of threads that share the keys of a tile
    float scale;                ///< of scores in exponents of 2, with the weights of softmax
    float* partial;             ///< [batch · key heads · tiles, splits, `Partial::floats`]
    std::uint32_t* arrived;     ///< [batch · key heads · tiles]
};

/// The maps of K and V where no copy engine brings them.
struct NoMaps {};
/// Kernel parameters. `Cache`: the type of K and V in shared memory.
template <class T, class Q, class K, class V, class Epilogue, class Sink, class Environment, class Cache = T,
          class Maps = NoMaps>
struct Arguments : Maps {
    GridShape grid;
    Operand<T, Q> q;
    CachedOperand<T, K, Cache> k;
    CachedOperand<T, V, Cache> v;
    Epilogue epilogue;
    Sink sink;
    Environment env;            ///< of the slots of condition, score and row
};

/// A block's queries and its share of the keys. `Blocks`: the blocks of keys that its queries visit.
template <class Blocks>
struct WorkTile {
    int batch, key_head, head;          ///< `head`: the first of the heads that share the key head
    int first_row, queries, rows;
    Blocks blocks;
    int begin, end;                     ///< its share of them
    int split, tile;                    ///< `tile`: among all tiles of the grid

    __device__ INLAY_INLINE QueryRows query_rows() const { return {batch, head, first_row, queries, rows}; }
};

/// The work of a block of threads. Splits of a tile are neighbours, then tiles of a head: they read the same keys. The
/// last queries come first: they see most keys.
template <class Tile, class Algebra, class Environment>
__device__ INLAY_INLINE auto work_tile_of(const GridShape& w, const Environment& env, int block) {
    const auto over = [](unsigned a, int b) { return a / static_cast<unsigned>(b); };
    auto i = static_cast<unsigned>(block);  // and so batches, heads and tiles fit 31 bits
    const int split = static_cast<int>(i - over(i, w.splits) * static_cast<unsigned>(w.splits));
    i = over(i, w.splits);
    const int tile = static_cast<int>(i);
    const unsigned item = over(i, w.tiles);
    const int first_row = (w.tiles - 1 - static_cast<int>(i - item * static_cast<unsigned>(w.tiles))) * Tile::rows;
    const int batch = static_cast<int>(over(item, w.key_heads));
    const int key_head = static_cast<int>(item) - batch * w.key_heads, head = key_head * w.group;

    // Rows of several heads are all queries of these.
    const int last_row = (::min)(first_row + Tile::rows, w.rows) - 1;
    const int head0 = static_cast<int>(over(static_cast<unsigned>(first_row), w.queries));
    const int head1 = static_cast<int>(over(static_cast<unsigned>(last_row), w.queries));
    const int before = head0 * w.queries;
    const QueryTile queries{batch, head + head0, head1 - head0 + 1, head0 == head1 ? first_row - before : 0,
                            head0 == head1 ? last_row - before + 1 : w.queries};
    const auto blocks = visited_blocks<Algebra>(env, queries, Tile::keys, w.keys);
    const int share = (blocks.count + w.splits - 1) / w.splits, begin = (::min)(split * share, blocks.count);
    return WorkTile<std::remove_const_t<decltype(blocks)>>{
        batch, key_head, head,  first_row,
        w.queries, w.rows, blocks, begin, (::min)(begin + share, blocks.count), split, tile};
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
