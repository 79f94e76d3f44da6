// SPDX-License-Identifier: Apache-2.0
/// The decision of a softmax or norm on a target: its kernel, the split of its work, their cost, and why the others do
/// not run it. The launch switches over it, `explain` prints it.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/plan/cost.hpp>
#include <inlay/plan/norm/group_norm_clusters.hpp>
#include <inlay/plan/norm/group_norm_teams.hpp>
#include <inlay/plan/norm/problem.hpp>
#include <inlay/plan/norm/row_split.hpp>

namespace inlay::inline INLAY_ABI {

enum class NormEngine {
    host,           ///< of the CPU
    packed_rows,    ///< lanes of a warp hold a row as it is stored
    register_rows,  ///< threads hold a row as floats in registers
    shared_rows,    ///< a block copies a row to shared memory as it is stored
    streamed_rows,  ///< a block measures a row, then changes it, and keeps the part of it that fits
    teams,          ///< a GroupNorm by blocks that meet through memory
    clusters,       ///< a GroupNorm by clusters of sm_90a, which meet through shared memory
};
inline constexpr int norm_engines = 7;

struct NormDecision {
    NormEngine engine = NormEngine::register_rows;
    RowSplit rows;                  ///< of whole rows
    GroupNormTeams teams;           ///< of span 0 where a group is too wide for the device
    GroupNormSplit clusters;
    double cost_us = 0;             ///< 0 where nothing is known of the target's rates
    const char* why_not[norm_engines] = {};     ///< of each engine that does not run it

    constexpr const char* why(NormEngine e) const { return why_not[static_cast<int>(e)]; }
};

/// Threads of a block of teams: to evaluate an input takes registers, so there are fewer.
constexpr int group_norm_threads(bool evaluated) { return evaluated ? 384 : GroupNormTeams::most_threads; }

namespace detail {

/// Rows by the first way that takes them: packed, in registers, in shared memory, streamed.
constexpr void decide_rows(const NormProblem& p, const TargetInfo& t, NormDecision& d) {
    RowSplit packed, registers, shared;
    const auto refuse = [&](NormEngine e, const char* why) { d.why_not[static_cast<int>(e)] = why; };
    refuse(NormEngine::packed_rows, split_packed_rows(p, t, packed));
    refuse(NormEngine::register_rows, split_register_rows(p, t, registers));
    refuse(NormEngine::shared_rows, split_shared_rows(p, t, shared));
    double again = 0;   // elements that are read twice
    if (!d.why(NormEngine::packed_rows)) {
        d.engine = NormEngine::packed_rows;
        d.rows = packed;
    } else if (!d.why(NormEngine::register_rows)) {
        d.engine = NormEngine::register_rows;
        d.rows = registers;
    } else if (!d.why(NormEngine::shared_rows)) {
        d.engine = NormEngine::shared_rows;
        d.rows = shared;
    } else {
        d.engine = NormEngine::streamed_rows;
        split_streamed_rows(p, t, d.rows);
        again = static_cast<double>(p.items) * static_cast<double>((row_chunks(p) - d.rows.kept) * p.rows.lanes);
    }
    for (int i = static_cast<int>(NormEngine::packed_rows); i <= static_cast<int>(NormEngine::streamed_rows); ++i)
        if (i != static_cast<int>(d.engine) && !d.why_not[i]) d.why_not[i] = "an engine that comes first takes it";
    d.cost_us = roofline_us(t, 0, 0, p.bytes() + again * p.element);
}

}  // namespace detail

constexpr NormDecision decide(const NormProblem& p, const TargetInfo& t) {
    NormDecision d;
    const auto refuse = [&](NormEngine e, const char* why) { d.why_not[static_cast<int>(e)] = why; };
    if (t.name == host_target.name) {
        for (int i = 1; i < norm_engines; ++i) d.why_not[i] = "the target is a CPU";
        d.engine = NormEngine::host;
        return d;
    }
    refuse(NormEngine::host, "the target is a GPU");
    if (p.groups == 0) {
        refuse(NormEngine::teams, "it normalises whole rows");
        refuse(NormEngine::clusters, "it normalises whole rows");
        detail::decide_rows(p, t, d);
        return d;
    }
    for (int i = static_cast<int>(NormEngine::packed_rows); i <= static_cast<int>(NormEngine::streamed_rows); ++i)
        d.why_not[i] = "it normalises groups of channels";
    if (t.sm90a)
        d.clusters =
            GroupNormSplit::of(t.units, t.shared_bytes, p.items, p.pixels, p.channels, p.groups, p.element);
    if (d.clusters.span > 0) {
        refuse(NormEngine::teams, "clusters take less");
        d.engine = NormEngine::clusters;
        d.cost_us = d.clusters.cost(t.units, t.shared_bytes, p.element).us();
        return d;
    }
    refuse(NormEngine::clusters, t.sm90a ? "no split over clusters takes less" : "the target has no code for sm_90a");
    d.engine = NormEngine::teams;
    // Narrow groups have more moments of threads than a small shared memory holds beside pixels: of fewer threads less.
    int threads = group_norm_threads(p.evaluated);
    do {
        d.teams = GroupNormTeams::of(t.units, t.shared_bytes, p.items, p.pixels, p.channels, p.groups, p.element,
                                     threads, t.warp);
        threads /= 2;
    } while (d.teams.span == 0 && threads >= 128);
    // Splits are ranked by bytes of a multiprocessor, which has its share of the memory's rate.
    if (d.teams.span > 0 && t.bandwidth_gbs > 0)
        d.cost_us = (t.group_norm_us > 0 ? t.group_norm_us : launch_us(t)) +
                    d.teams.moved(t.units, p.element) * t.units / (t.bandwidth_gbs * 1e3);
    return d;
}

namespace detail {

/// Blocks and threads of rows: "packed rows: 154 blocks of 64 threads, 32 a row, each up to 3 chunks of 8 elements".
inline Text rows_text(const NormProblem& p, const NormDecision& d) {
    const RowSplit& s = d.rows;
    Text t = d.engine == NormEngine::packed_rows     ? "packed rows: "
             : d.engine == NormEngine::register_rows ? "rows in registers: "
             : d.engine == NormEngine::shared_rows   ? "rows in shared memory: "
                                                     : "streamed rows: ";
    t += decimal_text(s.blocks) + " blocks of " + decimal_text(s.threads) + " threads, " + decimal_text(s.size) +
         " a row, each " + (s.each == 1 ? Text("a chunk of ") : "up to " + decimal_text(s.each) + " chunks of ") +
         decimal_text(p.rows.lanes) + " elements";
    if (d.engine == NormEngine::register_rows && s.shared > 0) t += ", operands copied to shared memory";
    if (d.engine != NormEngine::streamed_rows) return t;
    const index_t chunks = row_chunks(p);
    return t + (s.kept == chunks ? Text(", all kept on chip")
                                 : ", " + decimal_text(s.kept) + " of " + decimal_text(chunks) +
                                       " chunks of a row kept on chip, the others read twice");
}

}  // namespace detail

/// Work tiles, blocks and threads of a split: "64 clusters of 2 blocks of 256 threads, ...".
inline Text text(const NormProblem& w, const NormDecision& d) {
    if (d.engine == NormEngine::host) return "one pass over rows";
    if (d.engine == NormEngine::clusters) {
        const GroupNormSplit& p = d.clusters;
        return decimal_text(p.tasks) +
               (p.team == 1 ? " blocks of " : " clusters of " + decimal_text(p.team) + " blocks of ") +
               decimal_text(p.threads) + " threads, each " + decimal_text(p.span) +
               " channels of an item (by rule, fitted on an H200)";
    }
    if (d.engine != NormEngine::teams) return detail::rows_text(w, d);
    const GroupNormTeams& p = d.teams;
    if (p.span == 0) return "none: a group is too wide for the device";
    Text t = p.team == 1 ? Text() : Text("cooperative: ");
    t += decimal_text(p.slots) + (p.team == 1 ? " blocks of " : " teams of " + decimal_text(p.team) + " blocks of ");
    t += decimal_text(p.threads) + " threads, each ";
    if (p.team > 1) t += "a slab of " + decimal_text(p.pixels_of(0)) + " pixels of ";
    t += decimal_text(p.span) + " channels of an item";
    if (p.tasks > p.slots) t += ", " + decimal_text(p.tasks) + " one after the other";
    t += p.keeps_all() ? ", all kept on chip"
                       : ", " + decimal_text(p.kept - p.ahead) + " of " + decimal_text(p.steps_of(0, 0)) +
                             " pixels of a thread kept on chip, the others read twice";
    return t + " (by rule)";
}

}  // namespace inlay::inline INLAY_ABI
