// SPDX-License-Identifier: Apache-2.0
/// What `explain` says of attention: its schedule, and on sm_90a's engine what bounds it.
#pragma once

#include <inlay/plan/attention/wgmma_schedules.hpp>
#include <inlay/report/kernel.hpp>
#include <inlay/plan/device.hpp>

#include <cstdio>
#include <string>

namespace inlay::inline INLAY_ABI::detail {

inline std::string attention_schedule_text(const KernelReport& l, const TargetInfo& t) {
    const AttentionWork& w = l.attention;
    if (!t.sm90a || !l.wgmma_types) return text(w, choose_attention(t.units, t.shared_bytes, w));
    if (l.wgmma.refused) return text(w, last_attention(t.units, w));
    const WgmmaAttentionSchedules table = wgmma_attention_schedules(w.d);
    const WgmmaAttentionChoice c = choose_wgmma_attention(table, w.shape, t.units);
    const WgmmaAttentionSchedule& s = table.at[c.index];
    return text(s, w.shape, c.parts, table.found, w.binary && s.folds(w.d));
}
/// Columns of the boxes of Q and K that sm_90a's engine copies; V's are never wider.
inline int attention_box(const AttentionWork& w, const TargetInfo& t) {
    const WgmmaAttentionSchedules table = wgmma_attention_schedules(w.d);
    const WgmmaAttentionSchedule& s = table.at[choose_wgmma_attention(table, w.shape, t.units).index];
    return w.d > 64 ? 64 : s.last_columns(w.d, w.binary && s.folds(w.d));
}

/// Clocks of the busiest multiprocessor, and of memory for all that is moved, which takes so many `seconds`.
inline std::string attention_bound_text(const KernelReport& l, const TargetInfo& t, double seconds) {
    const AttentionWork& w = l.attention;
    const WgmmaAttentionSchedules table = wgmma_attention_schedules(w.d);
    // A mask leaves out so much.
    const double all_pairs = 4.0 * static_cast<double>(w.shape.batch * w.shape.heads * w.shape.queries) *
                             static_cast<double>(w.shape.keys) * w.d;
    const WgmmaAttentionChoice chosen = choose_wgmma_attention(table, w.shape, t.units);
    const WgmmaAttentionCost c = wgmma_attention_cost(table.at[chosen.index], chosen.parts, w.shape, w.d, t.units,
                                                        l.flops / all_pairs);
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
