// SPDX-License-Identifier: Apache-2.0
/// Work tiles of attention: query tiles, blocks of keys, splits of the keys among blocks.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/tile/gpu/attention/operand.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// A mask whose queries attend to exactly the keys before `end`. Blocks of keys before the least end need no masking
/// then.
template <class Mask>
inline constexpr bool is_prefix_mask = requires { requires Mask::prefix; };

/// An attention as a grid of blocks. Rows are the queries of all heads that share a key head.
struct Work {
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
    Work work;
    Operand<T, Q> q;
    Operand<T, K> k;
    Operand<T, V> v;
    Epilogue epilogue;
    Sink sink;
};

struct Job {
    int batch, key_head, head;          ///< `head`: the first of the heads that share the key head
    int first_row, queries, rows;
    int begin, end, masked_from;        ///< blocks of keys; from `masked_from` on some key is hidden or absent
    int split, tile;                    ///< `tile`: among all tiles of the grid

    /// Splits of a tile are neighbours, then tiles of a head: they read the same keys. The longest tiles come first.
    template <class Tile, class Mask>
    __device__ INLAY_INLINE static Job of(const Work& w, int block) {
        Job j;
        const auto over = [](unsigned a, int b) { return a / static_cast<unsigned>(b); };
        auto i = static_cast<unsigned>(block);  // and so batches, heads and tiles fit 31 bits
        j.split = static_cast<int>(i - over(i, w.splits) * static_cast<unsigned>(w.splits));
        i = over(i, w.splits);
        j.tile = static_cast<int>(i);
        const unsigned item = over(i, w.tiles);
        const int tile = w.tiles - 1 - static_cast<int>(i - item * static_cast<unsigned>(w.tiles));
        j.batch = static_cast<int>(over(item, w.key_heads));
        j.key_head = static_cast<int>(item) - j.batch * w.key_heads;
        j.head = j.key_head * w.group;
        j.first_row = tile * Tile::rows;
        j.queries = w.queries;
        j.rows = w.rows;

        const int last_row = (::min)(j.first_row + Tile::rows, w.rows) - 1;
        const int first = j.query_of(j.first_row), last = j.query_of(last_row);
        const bool one_head = last - first == last_row - j.first_row;
        const auto end_of = [&](int q) { return static_cast<int>(Mask::end(q, w.queries, w.keys)); };
        const int blocks = (end_of(one_head ? last : w.queries - 1) + Tile::keys - 1) / Tile::keys;
        j.masked_from = is_prefix_mask<Mask> ? end_of(one_head ? first : 0) / Tile::keys : 0;
        const int share = (blocks + w.splits - 1) / w.splits;
        j.begin = (::min)(j.split * share, blocks);
        j.end = (::min)(j.begin + share, blocks);
        return j;
    }
    __device__ INLAY_INLINE int query_of(int row) const {
        return static_cast<int>(static_cast<unsigned>(row) % static_cast<unsigned>(queries));
    }
    __device__ INLAY_INLINE QueryRows query_rows() const { return {batch, head, first_row, queries, rows}; }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
