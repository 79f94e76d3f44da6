// SPDX-License-Identifier: Apache-2.0
/// Blocks of keys that the tiles of an attention visit, counted as kernels find them: by `key_blocks` of each tile.
#pragma once

#include <inlay/plan/attention/decide.hpp>
#include <inlay/plan/attention/visible_keys.hpp>

namespace inlay::inline INLAY_ABI {

/// Over all query tiles: blocks of keys in all, those that are visited, and of these the ones whose scores are masked.
struct BlockCounts {
    index_t all = 0, visited = 0, masked = 0;
};

/// Queries and keys of a tile. `packs`: rows are the queries of all heads that share a key head, one head after the
/// other.
struct AttentionTile {
    index_t rows = 0, keys = 0;     ///< of rows 0: the engine has no such tiles
    bool packs = false;
};
inline AttentionTile attention_tile(const AttentionProblem& p, const AttentionDecision& d) {
    const AttentionWork& w = p.work;
    switch (d.engine) {
        case AttentionEngine::host: return {};
        case AttentionEngine::wgmma: {
            const WgmmaAttentionSchedule s = wgmma_attention_schedules(w.d, w.dv).at[d.index];
            return {s.rows() * d.parts, s.keys, false};
        }
        case AttentionEngine::mfma:
        case AttentionEngine::wmma: {
            const AttentionSchedule s = amd_attention_schedules(w.element_bytes, w.d, w.dv).at[d.index];
            return {s.rows(), s.keys, true};
        }
        default: {
            const AttentionSchedule s = attention_schedules(w, d).at[d.index];
            return {s.rows(), s.keys, true};
        }
    }
}

namespace detail {

/// Rows [first, last) of a tile whose rows are the queries of some heads: of one head some queries, else all.
inline QueryTile tile_of_rows(index_t batch, index_t head, index_t first, index_t last, index_t queries) {
    const index_t h = first / queries, to = (last - 1) / queries;
    if (h == to) return {batch, head + h, 1, first - h * queries, last - h * queries};
    return {batch, head + h, to - h + 1, 0, queries};
}

}  // namespace detail

/// The counts of a condition that reads no slots.
template <class Condition>
BlockCounts count_blocks(const AttentionShape& s, const AttentionTile& tile) {
    BlockCounts counts;
    if (s.queries == 0 || s.heads == 0 || s.batch == 0 || tile.rows == 0) return counts;
    const Env<4, 0> env{{}, {}, {{s.batch, s.heads, s.queries, s.keys}}};
    const bool alike = !detail::condition_reads<Condition>::heads;
    const index_t group = tile.packs ? s.group : 1, sets = s.heads / group, rows = group * s.queries;
    const index_t per_set = alike ? 1 : sets, batches = alike ? 1 : s.batch, times = s.batch * sets / (per_set * batches);
    for (index_t b = 0; b < batches; ++b)
        for (index_t set = 0; set < per_set; ++set)
            for (index_t first = 0; first < rows; first += tile.rows) {
                const index_t last = smaller(first + tile.rows, rows);
                const auto blocks = key_blocks<Condition>(
                    env, detail::tile_of_rows(b, set * group, first, last, s.queries), tile.keys);
                counts.all += times * detail::ceiling(s.keys, tile.keys);
                counts.visited += times * blocks.count();
                for (int n = 0; n < blocks.count(); ++n) counts.masked += times * blocks.masked(blocks.block(n));
            }
    return counts;
}

}  // namespace inlay::inline INLAY_ABI
