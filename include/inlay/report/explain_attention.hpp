// SPDX-License-Identifier: Apache-2.0
/// Lines of `explain` on attention by sm_90a's engine: what it copies at once, and what bounds it.
#pragma once

#include <inlay/plan/attention/decide.hpp>

#include <cstdio>
#include <string>

namespace inlay::inline INLAY_ABI::detail {

/// Columns of the boxes of Q and K that sm_90a's engine copies; V's are never wider.
inline int attention_box(const AttentionWork& w, const AttentionDecision& d) {
    const WgmmaAttentionSchedule s = wgmma_attention_schedules(w.d).at[d.index];
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

}  // namespace inlay::inline INLAY_ABI::detail
