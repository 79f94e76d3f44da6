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
    bool fp8_cache = false;     ///< on the portable engine: the table is that of K and V in fp8
    bool boxes = false;         ///< the same: of few queries whose keys are shared out, which come in boxes
    bool long_keys = false;     ///< the same: of few queries over many keys
    int splits = 1;             ///< blocks that share the keys of a tile of queries
    int parts = 1;              ///< tiles of 64 queries of a warpgroup, on sm_90a's
    WgmmaAttentionBefore before;    ///< kernels that evaluate operands of sm_90a's engine into workspace
    double cost_us = 0;         ///< of all kernels; 0 where nothing is known of the target's rates
    WgmmaAttentionCost rule;    ///< its cost in clocks on sm_90a's engine
    const char* why_not[attention_engines] = {};    ///< of each engine that does not run it

    constexpr const char* why(AttentionEngine e) const { return why_not[static_cast<int>(e)]; }
};

namespace detail {

/// The cost of kernels that evaluate operands into workspace: launches, and bytes that are read and written. Measured
/// on an H200 with heads of 128 (docs/notebook/attention.md), as the numbers below.
constexpr double attention_before_us(const AttentionProblem& p) {
    return 2.5 * p.before.kernels() + p.before_bytes / (p.before.pieces ? 1.35e6 : p.before.of_fp8 ? 2.8e6 : 2.4e6);
}
/// The cost of the portable engine where it evaluates operands itself, those of keys for each tile of queries anew:
/// 2 µs for a block of keys while as many blocks of threads run as fit, and the elements that a multiprocessor
/// evaluates in a clock. fp8 is converted while others wait for memory.
constexpr double evaluating_attention_us(const AttentionProblem& p, const AttentionChoice& c, const TargetInfo& t) {
    const AttentionWork& w = p.work;
    const AttentionShape& a = w.shape;
    const AttentionSchedule s = attention_schedules(w.element_bytes, w.d, w.dv).at[c.index];
    const index_t tiles = attention_blocks(s, a);
    const double rounds = static_cast<double>(detail::ceiling(tiles * c.splits, t.units * s.blocks)),
                 seen = rounds > 1 ? p.seen : 1,    // one tile that sees all keys keeps a single round waiting
                 steps = rounds * seen * static_cast<double>(a.keys) / s.keys / c.splits * 2,
                 columns = (p.before.k ? w.d : 0) + (p.before.v ? w.value_columns() : 0),
                 elements = static_cast<double>(tiles) * columns * static_cast<double>(a.keys) * p.seen +
                            (p.before.q ? static_cast<double>(a.batch * a.heads * a.queries) * w.d : 0),
                 at_once = static_cast<double>(smaller<index_t>(tiles * c.splits, t.units)),
                 rate = p.before.pieces ? 0.6 : p.before.of_fp8 ? 12 : 1.5,
                 evaluate = elements / (rate * at_once * sm90a_products.clock_ghz * 1e3);
    const double work = p.before.of_fp8 && !p.before.pieces ? larger(steps, evaluate) : steps + evaluate;
    return launch_us(t) + larger(work, p.bytes() / (t.bandwidth_gbs * 1e3));
}

/// The schedule of `long_attention_schedules` that takes the place of the choice for few queries, or -1.
constexpr int long_schedule(const AttentionWork& w, const AttentionChoice& c, const TargetInfo& t) {
    const AttentionSchedules table = long_attention_schedules(w.element_bytes, w.d, w.dv);
    if (table.size == 0 || w.vectors != 1 || c.splits == 1) return -1;
    const AttentionSchedule& of_few = attention_schedules(w.element_bytes, w.d, w.dv).at[c.index];
    if (ceiling(ceiling(w.shape.keys, of_few.keys), c.splits) < 4) return -1;
    const int index = w.shape.keys >= long_keys ? 1 : 0;
    const AttentionSchedule& s = table.at[index];
    return s.blocks * attention_shared_bytes(s, w.element_bytes, w.d, 8, w.dv) <= t.shared_bytes ? index : -1;
}
/// The cost of the portable engine with rows of 576 and 512 columns, measured on an H200 (docs/notebook/attention.md):
/// the keys of a tile one after the other, whatever its rows, and the merge of its slices.
constexpr double long_row_attention_us(const AttentionProblem& p, const AttentionChoice& c, const TargetInfo& t) {
    const AttentionWork& w = p.work;
    const AttentionSchedule s = attention_schedules(w.element_bytes, w.d, w.dv).at[c.index];
    const index_t blocks = attention_blocks(s, w.shape) * c.splits;
    const double rounds = static_cast<double>(ceiling(blocks, t.units * s.blocks)),
                 keys = p.seen * static_cast<double>(w.shape.keys) / c.splits,
                 merge = c.splits > 1 ? (15 + 2.7 * c.splits) * s.rows() / 64 : 0;
    return 12 + larger(rounds * keys * 0.072 + merge, p.bytes() / (t.bandwidth_gbs * 1e3));
}

}  // namespace detail

/// The table of the portable engine's schedules of which a decision names one.
constexpr AttentionSchedules attention_schedules(const AttentionWork& w, const AttentionDecision& d) {
    return d.fp8_cache   ? fp8_attention_schedules(w.d, w.dv)
           : d.boxes     ? boxed_attention_schedules(w.element_bytes, w.d, w.dv)
           : d.long_keys ? long_attention_schedules(w.element_bytes, w.d, w.dv)
                         : attention_schedules(w.element_bytes, w.d, w.dv);
}

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
    const char* const taken = "sm_90a's engine takes it";
    // Beside an operand that is evaluated all portable kernels are compiled: few queries evaluate it as it is read. So
    // they are where values are columns of the keys, which the tensors of a launch decide.
    const bool in_keys = wgmma_attention_schedules(w.d, w.dv).values_in_keys(),
               beside = t.sm90a && p.wgmma_types && !p.before.any() && !in_keys;
    const AttentionChoice c = beside ? last_attention(t.units, w) : choose_attention(t.units, t.shared_bytes, w);
    refuse(AttentionEngine::wgmma, t.sm90a ? p.refused : "the target has no code for sm_90a");
    refuse(AttentionEngine::mma, beside ? "it is not compiled beside sm_90a's engine" : nullptr);
    refuse(AttentionEngine::fallback, beside ? nullptr : "kernels of sm_90a's engine are not compiled for it");
    const bool nothing = w.shape.batch * w.shape.heads * w.shape.queries == 0;
    const double tflops = w.element_bytes == 4 ? t.matrix_tflops_fp32 : t.matrix_tflops;
    d.cost_us = !t.sm90a || nothing ? roofline_us(t, p.flops(), tflops, p.bytes())
                : p.before.any()    ? detail::evaluating_attention_us(p, c, t)
                : in_keys           ? detail::long_row_attention_us(p, c, t)
                                    : roofline_us(t, p.flops(), tflops, p.bytes());
    if (!d.why(AttentionEngine::wgmma)) {
        const WgmmaAttentionSchedules table = wgmma_attention_schedules(w.d, w.dv);
        const WgmmaAttentionChoice of_wgmma = choose_wgmma_attention(table, w.shape, t.units);
        const WgmmaAttentionSchedule& s = table.at[of_wgmma.index];
        const int slices = choose_wgmma_key_slices(s, w.shape, w.d, w.dv, t.units);
        const WgmmaAttentionCost rule =
            wgmma_attention_cost(s, of_wgmma.parts, w.shape, w.d, t.units, p.seen, w.dv, p.specials, slices);
        double us = rule.clocks() / (sm90a_products.clock_ghz * 1e3);
        if (p.before.any() || in_keys)
            us = larger(us, p.bytes(in_keys) / (t.bandwidth_gbs * 1e3)) + detail::attention_before_us(p);
        if (beside || in_keys || us < d.cost_us) {
            refuse(beside ? AttentionEngine::fallback : AttentionEngine::mma, taken);
            d.engine = AttentionEngine::wgmma;
            d.index = of_wgmma.index;
            d.parts = of_wgmma.parts;
            d.splits = slices;
            d.before = p.before;
            d.rule = rule;
            d.cost_us = us;
            return d;
        }
        refuse(AttentionEngine::wgmma, p.before.of_fp8 ? "fp8 is converted in less time as it is read"
                                                       : "its operands are evaluated in less time as they are read");
    }
    d.engine = beside ? AttentionEngine::fallback : AttentionEngine::mma;
    d.index = c.index;
    d.splits = c.splits;
    if (c.index + 1 < attention_schedules(w.element_bytes, w.d, w.dv).size) return d;
    // Few queries convert a key once in any case.
    d.fp8_cache = p.fp8_cache;
    d.boxes = !p.fp8_cache && p.boxes && t.sm90a && d.splits > 1 && w.shape.keys < most_boxed_keys;
    const int long_schedule = p.fp8_cache || (p.box_types && t.sm90a) ? -1 : detail::long_schedule(w, c, t);
    d.long_keys = long_schedule >= 0;
    if (!d.fp8_cache && !d.boxes && !d.long_keys) {
        if (p.box_types && t.sm90a && d.splits > 1 && w.shape.keys >= most_boxed_keys) {
            AttentionSchedule alone = attention_schedules(w, d).at[d.index];
            alone.blocks = 1;
            d.splits = attention_splits(alone, w.shape, t.units);
        }
        return d;
    }
    d.index = d.boxes ? w.shape.keys >= long_boxed_keys : larger(long_schedule, 0);
    d.splits = attention_splits(attention_schedules(w, d).at[d.index], w.shape, t.units);
    return d;
}

namespace detail {

/// "three kernels: Q and K are evaluated into workspace, then ".
inline Text before_text(const WgmmaAttentionBefore& b) {
    constexpr const char* number[] = {"", "two", "three", "four"};
    const char* const names[] = {b.q ? "Q" : nullptr, b.k ? "K" : nullptr, b.v ? "V" : nullptr};
    int left = b.q + b.k + b.v;
    Text t;
    if (left == 0) return t;
    t += Text(number[b.kernels()]) + " kernels: ";
    const char* const verb = left == 1 ? " is" : " are";
    for (const char* name : names)
        if (name) t += Text(name) + (--left > 1 ? ", " : left == 1 ? " and " : "");
    return t + verb + " evaluated into workspace, then ";
}

}  // namespace detail

inline Text text(const AttentionProblem& p, const AttentionDecision& d) {
    const AttentionWork& w = p.work;
    if (d.engine == AttentionEngine::host) return text(Choice{host_attention, 1});
    if (d.engine == AttentionEngine::mfma || d.engine == AttentionEngine::wmma)
        return text(amd_attention_schedules(w.element_bytes, w.d, w.dv), AttentionChoice{d.index, d.splits});
    if (d.engine != AttentionEngine::wgmma)
        return text(attention_schedules(w, d), AttentionChoice{d.index, d.splits});
    const WgmmaAttentionSchedules table = wgmma_attention_schedules(w.d, w.dv);
    const WgmmaAttentionSchedule& s = table.at[d.index];
    return detail::before_text(d.before) + text(s, w.shape, d.parts, table.found, w.binary && s.folds(w.d), d.splits,
                                        p.last_keys_first);
}

}  // namespace inlay::inline INLAY_ABI
