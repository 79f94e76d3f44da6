// SPDX-License-Identifier: Apache-2.0
/// The decision of an attention on a target: its engine and schedule, their cost, and why the others do not run it. The
/// launch switches over it, `explain` prints it; nothing else chooses.
#pragma once

#include <inlay/plan/attention/amd_schedules.hpp>
#include <inlay/plan/attention/problem.hpp>
#include <inlay/plan/attention/wgmma_schedules.hpp>
#include <inlay/plan/cost.hpp>
#include <inlay/plan/gemm/schedules.hpp>

namespace inlay::inline INLAY_ABI {

enum class AttentionEngine {
    host,           ///< of the CPU
    mma,            ///< portable tiles by `mma.sync`
    fallback,       ///< the last of them, which is compiled beside sm_90a's engine
    wgmma,          ///< of sm_90a
    mfma,           ///< of gfx90a and gfx942
    wmma,           ///< of gfx1100
};
inline constexpr int attention_engines = 6;

struct AttentionDecision {
    AttentionEngine engine = AttentionEngine::mma;
    int index = 0;              ///< of the schedule in the engine's table
    int splits = 1;             ///< blocks that share the keys of a tile of queries, on the portable engine
    int parts = 1;              ///< tiles of 64 queries of a warpgroup, on sm_90a's
    double cost_us = 0;         ///< 0 where nothing is known of the target's rates
    WgmmaAttentionCost rule;    ///< its cost in clocks on sm_90a's engine
    const char* why_not[attention_engines] = {};    ///< of each engine that does not run it

    constexpr const char* why(AttentionEngine e) const { return why_not[static_cast<int>(e)]; }
};

constexpr AttentionDecision decide(const AttentionProblem& p, const TargetInfo& t) {
    AttentionDecision d;
    const AttentionWork& w = p.work;
    const auto refuse = [&](AttentionEngine e, const char* why) { d.why_not[static_cast<int>(e)] = why; };
    if (t.name == host_target.name) {
        for (int i = 1; i < attention_engines; ++i) d.why_not[i] = "the target is a CPU";
        d.engine = AttentionEngine::host;
        return d;
    }
    refuse(AttentionEngine::host, "the target is a GPU");
    refuse(AttentionEngine::mfma, t.matrix == MatrixUnit::mfma ? nullptr : "the target has no mfma");
    refuse(AttentionEngine::wmma, t.matrix == MatrixUnit::wmma ? nullptr : "the target has no wmma");
    if (t.amd()) {
        for (const auto e : {AttentionEngine::mma, AttentionEngine::fallback, AttentionEngine::wgmma})
            refuse(e, "the target is no GPU of NVIDIA's");
        d.engine = t.matrix == MatrixUnit::mfma ? AttentionEngine::mfma : AttentionEngine::wmma;
        const AttentionSchedules table = amd_attention_schedules(w.element_bytes, w.d, w.dv);
        const AttentionChoice c = choose_attention(table, t.units, t.shared_bytes, w, amd_tile_columns);
        d.index = c.index;
        d.splits = c.splits;
        d.cost_us =
            roofline_us(t, p.flops(), w.element_bytes == 4 ? t.matrix_tflops_fp32 : t.matrix_tflops, p.bytes());
        return d;
    }
    const bool beside = t.sm90a && p.wgmma_types;
    refuse(AttentionEngine::wgmma, t.sm90a ? p.refused : "the target has no code for sm_90a");
    refuse(AttentionEngine::mma, beside ? "it is not compiled beside sm_90a's engine" : nullptr);
    refuse(AttentionEngine::fallback, beside ? nullptr : "kernels of sm_90a's engine are not compiled for it");
    if (!d.why(AttentionEngine::wgmma)) {
        const WgmmaAttentionSchedules table = wgmma_attention_schedules(w.d, w.dv);
        const WgmmaAttentionChoice c = choose_wgmma_attention(table, w.shape, t.units);
        refuse(AttentionEngine::fallback, "sm_90a's engine takes it");
        d.engine = AttentionEngine::wgmma;
        d.index = c.index;
        d.parts = c.parts;
        d.rule = wgmma_attention_cost(table.at[c.index], c.parts, w.shape, w.d, t.units, p.seen, w.dv, p.specials);
        d.cost_us = d.rule.clocks() / (sm90a_products.clock_ghz * 1e3);
        return d;
    }
    const AttentionChoice c =
        beside ? last_attention(t.units, w) : choose_attention(t.units, t.shared_bytes, w);
    d.engine = beside ? AttentionEngine::fallback : AttentionEngine::mma;
    d.index = c.index;
    d.splits = c.splits;
    d.cost_us = roofline_us(t, p.flops(), w.element_bytes == 4 ? t.matrix_tflops_fp32 : t.matrix_tflops, p.bytes());
    return d;
}

inline Text text(const AttentionProblem& p, const AttentionDecision& d) {
    const AttentionWork& w = p.work;
    if (d.engine == AttentionEngine::host) return text(Choice{host_attention, 1});
    if (d.engine == AttentionEngine::mfma || d.engine == AttentionEngine::wmma)
        return text(amd_attention_schedules(w.element_bytes, w.d, w.dv), AttentionChoice{d.index, d.splits});
    if (d.engine != AttentionEngine::wgmma)
        return text(attention_schedules(w.element_bytes, w.d, w.dv), AttentionChoice{d.index, d.splits});
    const WgmmaAttentionSchedules table = wgmma_attention_schedules(w.d, w.dv);
    const WgmmaAttentionSchedule& s = table.at[d.index];
    return text(s, w.shape, d.parts, table.found, w.binary && s.folds(w.d));
}

}  // namespace inlay::inline INLAY_ABI
