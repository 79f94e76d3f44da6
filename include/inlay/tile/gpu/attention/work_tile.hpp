// SPDX-License-Identifier: Apache-2.0
/// Work tiles of attention: query tiles, blocks of keys, splits of the keys among blocks.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/tile/gpu/attention/operand.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// An attention as a grid of blocks. Rows are the queries of all heads that share a key head.
struct GridShape {
    int key_heads, group, queries, keys;
    int rows, tiles;            ///< group · queries, and blocks of threads they make
    int splits;                 ///< blocks of threads that share the keys of a tile
    float scale;                ///< of scores, times log2(e): exponentials are powers of 2
    float* partial;             ///< [batch · key heads · tiles, splits, rows · (columns + 2)]: outputs, maxima, sums
    std::uint32_t* arrived;     ///< [batch · key heads · tiles]
};

/// Kernel parameters.
template <class T, class Q, class K, class V, class Epilogue, class Sink>
struct Arguments {
    GridShape grid;
    Operand<T, Q> q;
    Operand<T, K> k;
    Operand<T, V> v;
    Epilogue epilogue;
    Sink sink;
};

/// A block's queries and its share of the keys.
struct WorkTile {
    int batch, key_head, head;          ///< `head`: the first of the heads that share the key head
    int first_row, queries, rows;
    int begin, end, masked_from;        ///< blocks of keys; from `masked_from` on some key is hidden or absent
    int split, tile;                    ///< `tile`: among all tiles of the grid

    /// Splits of a tile are neighbours, then tiles of a head: they read the same keys. The longest tiles come first.
    template <class Tile, class Mask>
    __device__ INLAY_INLINE static WorkTile of(const GridShape& w, int block) {
        WorkTile t;
        const auto over = [](unsigned a, int b) { return a / static_cast<unsigned>(b); };
        auto i = static_cast<unsigned>(block);  // and so batches, heads and tiles fit 31 bits
        t.split = static_cast<int>(i - over(i, w.splits) * static_cast<unsigned>(w.splits));
        i = over(i, w.splits);
        t.tile = static_cast<int>(i);
        const unsigned item = over(i, w.tiles);
        const int tile = w.tiles - 1 - static_cast<int>(i - item * static_cast<unsigned>(w.tiles));
        t.batch = static_cast<int>(over(item, w.key_heads));
        t.key_head = static_cast<int>(item) - t.batch * w.key_heads;
        t.head = t.key_head * w.group;
        t.first_row = tile * Tile::rows;
        t.queries = w.queries;
        t.rows = w.rows;

        const int last_row = (::min)(t.first_row + Tile::rows, w.rows) - 1;
        const int first = t.query_of(t.first_row), last = t.query_of(last_row);
        const bool one_head = last - first == last_row - t.first_row;
        const auto end_of = [&](int q) { return static_cast<int>(Mask::end(q, w.queries, w.keys)); };
        const int blocks = (end_of(one_head ? last : w.queries - 1) + Tile::keys - 1) / Tile::keys;
        t.masked_from = end_of(one_head ? first : 0) / Tile::keys;
        const int share = (blocks + w.splits - 1) / w.splits;
        t.begin = (::min)(t.split * share, blocks);
        t.end = (::min)(t.begin + share, blocks);
        return t;
    }
    __device__ INLAY_INLINE int query_of(int row) const {
        return static_cast<int>(static_cast<unsigned>(row) % static_cast<unsigned>(queries));
    }
    __device__ INLAY_INLINE QueryRows query_rows() const { return {batch, head, first_row, queries, rows}; }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
