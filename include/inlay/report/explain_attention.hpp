// SPDX-License-Identifier: Apache-2.0
/// Lines of `explain` on attention: its mathematics and the blocks of keys it visits; of sm_90a's engine what it copies
/// at once, and what bounds it.
#pragma once

#include <inlay/plan/attention/decide.hpp>
#include <inlay/report/kernel.hpp>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::detail {

/// Columns of the boxes of Q and K that sm_90a's engine copies; V's are never wider.
inline int attention_box(const AttentionWork& w, const AttentionDecision& d) {
    const WgmmaAttentionSchedule s = wgmma_attention_schedules(w.d, w.dv).at[d.index];
    return w.d > 64 ? 64 : s.last_columns(w.d, w.binary && s.folds(w.d));
}

/// Clocks of the busiest multiprocessor, and of memory, which takes `seconds` for all bytes that are moved.
inline std::string attention_bound_text(const AttentionDecision& d, const TargetInfo& t, double seconds) {
    const WgmmaAttentionCost& c = d.rule;
    const double memory = seconds * t.clock_ghz * 1e9, all = c.clocks();
    const char* bound = memory > all           ? "memory"
                        : 2 * c.begin > all    ? "latency"
                        : c.matrix > c.special ? "the matrix unit"
                                               : "special functions";
    char s[256];
    std::snprintf(s, sizeof s,
                  "%s; by rule %.0f clocks = %.0f + %.0f rounds x %.1f blocks of keys x %.0f, of a block: matrix unit "
                  "%.0f, special functions %.0f, of all: memory %.0f",
                  bound, all, c.begin, c.rounds, c.steps, c.step(), c.matrix, c.special, memory);
    return s;
}

/// Blocks of keys that the tiles of a decision visit.
inline std::string blocks_text(const KernelReport& l, const AttentionDecision& d) {
    const AttentionTile tile = attention_tile(l.attention, d);
    if (tile.rows == 0 || !l.mathematics.blocks) return "";
    const BlockCounts c = l.mathematics.blocks(l.attention.work.shape, tile);
    const auto number = [](index_t n) { return std::to_string(n); };
    return "of " + number(tile.rows) + " queries x " + number(tile.keys) + " keys: " + number(c.visited) + " of " +
           number(c.all) + " visited, " + number(c.masked) + " of them masked";
}
/// Labels and texts of lines. `blocks`: that of the blocks visited, where they are known.
inline std::vector<std::pair<const char*, std::string>> mathematics_text(const AttentionMathematics& m,
                                                                          const std::string& blocks) {
    std::vector<std::pair<const char*, std::string>> all;
    const auto add = [&](const char* label, const std::string& text) {
        if (!text.empty()) all.push_back({label, text});
    };
    add("score", m.score.empty() ? "" : "s = " + m.score);
    add("keys", m.keys);
    add("blocks", blocks);
    add("computed", m.computed);
    for (std::size_t at = 0, end; at < m.row.size(); at = end + 1) {
        end = m.row.find('\n', at);
        add(at == 0 ? "row" : "", m.row.substr(at, end - at));
    }
    return all;
}

}  // namespace inlay::inline INLAY_ABI::detail
