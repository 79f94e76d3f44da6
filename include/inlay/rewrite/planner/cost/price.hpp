// SPDX-License-Identifier: Apache-2.0
/// The price of each candidate on a target, in nanoseconds: the core by the decision of its frame, then what the
/// epilogue reads and computes beside it. Elementwise work is a launch, and bytes. The CPU has rates of its own, and so
/// a plan.
#pragma once

#include <inlay/rewrite/planner/cost/problems.hpp>
#include <inlay/rewrite/planner/cost/rates.hpp>
#include <inlay/rewrite/planner/cuts/expand.hpp>

namespace inlay::inline INLAY_ABI::planner {

/// Nanoseconds of each candidate, once.
struct Prices {
    std::int64_t ns[most_candidates] = {};
};

namespace detail {

/// The bytes that the frame reads itself and writes, each once.
constexpr double core_bytes(const Facts& facts, const Kernel& k, const Surroundings& s) {
    index_t bytes = s.slot_bytes - s.operand_bytes + s.output_bytes;
    for (int i = 0; i < k.weights; ++i) bytes += facts.value[k.weight[i]].count() * facts.value[k.weight[i]].bytes;
    return static_cast<double>(bytes);
}

/// On a CPU: FLOPs of the core at the rate of its products, and memory, as the same threads do both. A product stages
/// its rows anew for each block of columns, and evaluates its prologue as often; a GroupNorm reads its input twice.
constexpr double host_us(const Facts& facts, const Kernel& k, const Surroundings& s) {
    const Rates& r = host_rates;
    double flops = 0, times = 1;
    if (k.core >= 0) {
        const Core core = facts.node[k.core].symbol.core;
        if (core == Core::linear || core == Core::conv) {
            const GemmProblem p = gemm_problem(facts, k, s);
            flops = p.flops();
            // 512 columns of each block: `tile/host/matmul.hpp`. Taps of a filter evaluate a pixel once each.
            times = static_cast<double>((p.shape.n + 511) / 512 * p.shape.segments);
            if (decide(p, host_target).engine == GemmEngine::winograd) {
                flops *= winograd_share(p.window);
                times = static_cast<double>(2 * p.shape.batch);     // by two rows of tiles, in each phase
            }
        } else if (core == Core::attention) {
            flops = attention_problem(facts, k, s).flops();
        }
    }
    const bool twice = k.core >= 0 && facts.node[k.core].symbol.core == Core::group_norm;
    const double again = twice ? static_cast<double>(s.slot_bytes - s.operand_bytes) : 0;
    const double memory = (core_bytes(facts, k, s) + static_cast<double>(s.operand_bytes) + again) / r.bytes_us;
    return r.launch_us + flops / r.products_us + memory +
           (static_cast<double>(s.before) * times + static_cast<double>(s.after)) / r.specials_us;
}

/// Times of the portable engine's attention over the roofline by which it is priced: 183 µs of one image of 4096
/// queries on an H200 (docs/notebook, "portable engine → this one"), 37 by the roofline.
inline constexpr double portable_attention = 5;

/// A score that is scaled on its way to a softmax of powers of e: 7 µs of 2×8×4096×4096 scores on an H200
/// (docs/performance.md, attention/full beside attention/base2).
inline constexpr double scaled_score_us = 7.0 / (2.0 * 8 * 4096 * 4096);
constexpr double scores_of(const AttentionProblem& p) {
    const AttentionShape& s = p.work.shape;
    return static_cast<double>(s.batch * s.heads) * static_cast<double>(s.queries * s.keys);
}

/// Bytes of a piece from which on it is read as fast as a whole row: some of DRAM's bursts. Not measured.
inline constexpr index_t whole_run = 512;

/// Of the core and its prologue, on a GPU.
constexpr double core_us(const Facts& facts, const Kernel& k, const Surroundings& s, const TargetInfo& t) {
    const Rates r = rates_of(t);
    const double moved = r.launch_us + core_bytes(facts, k, s) / r.bytes_us;
    double us = 0;
    switch (facts.node[k.core].symbol.core) {
        case Core::linear:
        case Core::conv: us = decide(gemm_problem(facts, k, s), t).cost_us; break;
        case Core::attention: {
            const AttentionProblem p = attention_problem(facts, k, s);
            const AttentionDecision d = decide(p, t);
            // Prices of operands that compute, and of values that are columns of keys, are times as measured.
            const bool measured =
                t.sm90a && (p.before.any() || wgmma_attention_schedules(p.work.d, p.work.dv).values_in_keys());
            const bool at_its_rate = d.engine == AttentionEngine::wgmma || measured;
            us = d.cost_us * (at_its_rate ? 1 : portable_attention);
            if (d.engine == AttentionEngine::wgmma && !p.work.binary) us += scaled_score_us * scores_of(p);
            us += r.apart_passes * static_cast<double>(s.view_bytes) / r.operand_bytes_us;
            break;
        }
        case Core::group_norm:
        case Core::layer_norm:
        case Core::softmax: us = decide(norm_problem(facts, k, s), t).cost_us; break;
        default: break;
    }
    return us > 0 ? us : moved;
}

/// Statistics of channels behind what a kernel stored, by the least squares of six 3×3 convolutions on an H100 (0.3 to
/// 34 MB, "Published statistics" in the notebook): a launch that keeps the next kernel from beginning early, and a read at
/// a share of the rate of passes.
inline constexpr double published_us = 4.1, published_share = 0.59;

struct Pricer {
    const Facts& facts;
    const TargetInfo& target;
    /// Prices of cores that were decided: candidates of one core differ in their epilogues.
    struct Known {
        int core;
        bool gated;
        Surroundings with;
        double us;
    };
    static constexpr int most_known = 48;
    Known known[most_known] = {};
    int count = 0;

    constexpr double core(const Kernel& k, const Surroundings& s) {
        for (int i = 0; i < count; ++i)
            if (known[i].core == k.core && known[i].gated == k.gated && known[i].with.same_core(s)) return known[i].us;
        const double us = core_us(facts, k, s, target);
        if (count < most_known) known[count++] = {k.core, k.gated, s, us};
        return us;
    }
    /// Of no kernel: paid by those that read the value.
    constexpr double arrangement_us(const NodeFacts& n) const {
        const ValueFacts &from = facts.value[n.operand[0]], &to = facts.value[n.value];
        if (from.last() == to.last() || to.last() * to.bytes >= whole_run) return 0;
        const Rates r = rates_of(target);
        return r.apart_passes * static_cast<double>(to.count() * to.bytes) / r.operand_bytes_us;
    }
    /// Products publish records of rows beside what they store, whose bytes alone count; a pass of its own behind other
    /// kernels. **Assumed**: not measured. Statistics of channels are a pass behind any kernel of a GPU. On a CPU all are
    /// another read, for channels as measured: docs/host.md, GroupNorm.
    constexpr double records_us(const Kernel& k) const {
        if (!k.records) return 0;
        const Rates r = rates_of(target);
        const ValueFacts &y = facts.value[k.output[0]], &records = facts.value[k.output[1]];
        const double written = static_cast<double>(records.count() * records.bytes);
        const Core core = k.core < 0 ? Core::none : facts.node[k.core].symbol.core;
        const bool on_cpu = target.name == host_target.name;
        if (!on_cpu && records_channels(facts, k))
            return published_us + static_cast<double>(y.count() * y.bytes) / (published_share * r.bytes_us);
        if (!on_cpu && (core == Core::linear || core == Core::conv)) return written / r.bytes_us;
        return (on_cpu ? 0 : r.launch_us) +
               (written + static_cast<double>(y.count() * y.bytes)) / r.bytes_us;
    }
    constexpr double us(const Kernel& k) { return without_records_us(k) + records_us(k); }
    constexpr double without_records_us(const Kernel& k) {
        if (arranges(facts, k)) return arrangement_us(facts.node[k.inside[0].node]);
        const Surroundings s = surroundings(facts, k);
        if (target.name == host_target.name) return host_us(facts, k, s);
        const Rates r = rates_of(target);
        if (k.core < 0)
            return r.launch_us + static_cast<double>(s.slot_bytes + s.output_bytes) / r.bytes_us +
                   static_cast<double>(s.after) / r.specials_us;
        const SymbolFacts& f = facts.node[k.core].symbol;
        const bool hides = f.core == Core::conv && f.rows * f.cols > 1,
                   product = f.core == Core::conv || f.core == Core::linear;
        // Products of two sums were measured with their functions. Rows written as heads leave in short runs: another
        // pass over the result, on the multiprocessor.
        const double written = s.scatters ? static_cast<double>(s.output_bytes) : 0;
        return core(k, s) +
               (static_cast<double>(s.operand_bytes) + written) / (hides ? r.hidden_bytes_us : r.operand_bytes_us) +
               static_cast<double>((k.gated ? 0 : s.after) + (product ? 0 : s.before)) / r.specials_us;
    }
};

}  // namespace detail

/// The price of one kernel.
constexpr std::int64_t price(const Facts& facts, const Kernel& k, const TargetInfo& t) {
    detail::Pricer p{facts, t};
    return static_cast<std::int64_t>(1000 * p.us(k) + 0.5);
}

constexpr Prices price_all(const Facts& facts, const Cuts& cuts, const Candidates& candidates, const TargetInfo& t) {
    Prices prices;
    detail::Pricer p{facts, t};
    for (int i = 0; i < candidates.count; ++i)
        prices.ns[i] = static_cast<std::int64_t>(1000 * p.us(expand(facts, cuts, candidates, i)) + 0.5);
    return prices;
}

}  // namespace inlay::inline INLAY_ABI::planner
