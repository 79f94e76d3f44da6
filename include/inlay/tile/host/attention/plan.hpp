// SPDX-License-Identifier: Apache-2.0
/// The division of attention into work tiles and blocks of keys, and the layout of a worker's scratch memory.
#pragma once

#include <inlay/tile/host/amx.hpp>
#include <inlay/tile/host/micro.hpp>

#include <algorithm>
#include <cstddef>

namespace inlay::inline INLAY_ABI::on_host {

struct AttentionShape {
    index_t batch = 1;  // times heads
    index_t queries = 0, keys = 0;
    index_t d = 0, dv = 0;
};

/// Memory of a row of scores. `weights`: numbers of each key that rows of V are multiplied by; `vectors`: sums with V;
/// `state`: bytes of all else.
struct AttentionRowMemory {
    int weights = 1, vectors = 1;
    std::size_t state = 2 * sizeof(float);
};

struct AttentionPlan {
    static constexpr index_t row_limit = 224;
    index_t rows, blocks;  // queries of a work tile, and work tiles per batch
    index_t room;          // rows of scores and of sums: whole tile registers
    index_t key_block;     // keys of a block
    index_t q_stride, score_stride, out_stride;        // floats from row to row
    std::size_t q_at, pointers_at, score_at, out_at, state_at, k_at, v_at, row_at, bytes;

    explicit AttentionPlan(const AttentionShape& s, const AttentionRowMemory& row = {}) {
        const auto up = [](index_t a, index_t b) { return (a + b - 1) / b; };
        // Packing a block of keys costs as much as some ten rows of scores, hence many rows; Q must fit in the cache.
        rows = s.d + s.dv <= 512 ? row_limit : row_limit / 2;
        while (s.batch * up(s.queries, rows) < 16 && rows > 56) rows /= 2;
        rows = (std::min)(up(rows, host_tile_rows) * host_tile_rows, s.queries);
        blocks = up(s.queries, std::max<index_t>(1, rows));
        room = amx::whole_tiles(rows, amx::tile_rows);
        key_block = s.d + s.dv <= 256 ? 256 : 128;  // K and V of a block stay in the second-level cache
        q_stride = up(s.d, 16) * 16 + 16;  // not a power of two: rows spread over the sets of the cache
        score_stride = key_block + 16;
        out_stride = up(s.dv, host_panel) * host_panel + 16;

        std::size_t at = 0;
        const auto take = [&](index_t n, std::size_t size) {
            const std::size_t begin = at;
            at += (size * static_cast<std::size_t>(n) + 63) / 64 * 64;
            return begin;
        };
        const auto floats = [&](index_t n) { return take(n, sizeof(float)); };
        q_at = floats(rows * q_stride);
        pointers_at = take(rows * 2, sizeof(const float*));
        score_at = floats((std::max)(1, row.weights) * room * score_stride);
        out_at = floats((std::max)(1, row.vectors) * room * out_stride);
        state_at = take(rows, row.state);
        k_at = floats(key_block * std::max<index_t>(s.d, amx::tile_depth / 2));
        v_at = floats(key_block * up(s.dv, host_panel) * host_panel);
        row_at = floats(host_panel * (std::max)(s.d, s.dv));
        bytes = at;
    }
};

/// Scratch memory a worker needs for softmax attention: for `Threads::reserve`.
inline std::size_t attention_scratch_bytes(const AttentionShape& s) { return AttentionPlan(s).bytes; }

}  // namespace inlay::inline INLAY_ABI::on_host
