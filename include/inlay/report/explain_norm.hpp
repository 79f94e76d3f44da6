// SPDX-License-Identifier: Apache-2.0
/// What `explain` says of softmax and the norms: how a GroupNorm is split, and what bounds a launch.
#pragma once

#include <inlay/plan/norm/group_norm_clusters.hpp>
#include <inlay/report/kernel.hpp>
#include <inlay/plan/device.hpp>

#include <cstdio>
#include <string>

namespace inlay::inline INLAY_ABI::detail {

/// Of span 0 where the portable kernel runs.
inline GroupNormSplit clusters_of(const NormWork& w, const TargetInfo& t) {
    if (!t.sm90a || w.groups == 0) return {};
    return GroupNormSplit::of(t.units, t.shared_bytes, w.items, w.pixels, w.channels, w.groups, w.element);
}

inline std::string norm_schedule_text(const NormWork& w, const TargetInfo& t) {
    const GroupNormSplit p = clusters_of(w, t);
    if (p.span == 0) return "one pass over rows";
    const std::string blocks = p.team == 1 ? "blocks of " : "clusters of " + std::to_string(p.team) + " blocks of ";
    return std::to_string(p.tasks) + " " + blocks + std::to_string(p.threads) + " threads, each " +
           std::to_string(p.span) + " channels of an item (by rule, fitted on an H200)";
}

/// Microseconds of a launch; memory takes so many `seconds` for all that is moved. Latency is what neither bytes nor
/// elements add to: a launch begins, waits for memory, its threads wait for each other, and it ends.
inline std::string norm_bound_text(const NormWork& w, const TargetInfo& t, double seconds) {
    const double memory = seconds * 1e6;
    const GroupNormSplit p = clusters_of(w, t);
    char s[256];
    if (p.span == 0) {
        const double latency = w.groups > 0 ? t.group_norm_us : t.rows_us;
        std::snprintf(s, sizeof s, "%s; latency %.1f us (measured on an H200), of all: memory %.1f",
                      memory > latency ? "memory" : "latency", latency, memory);
        return s;
    }
    const GroupNormCost c = p.cost(t.units, t.shared_bytes, w.element);
    const double latency = c.begin + c.meet + c.add, threads = c.pixels + c.warps;
    const char* bound = latency >= larger(threads, c.bytes) ? "latency" : threads >= c.bytes ? "threads" : "memory";
    std::snprintf(s, sizeof s,
                  "%s; by rule %.1f us = begin %.1f + meet %.1f + add %.1f + %d pixels x %.2f + warps %.1f + "
                  "bytes %.1f, of all: memory %.1f",
                  bound, c.us(), c.begin, c.meet, c.add, p.kept, c.pixels / p.kept, c.warps, c.bytes, memory);
    return s;
}

}  // namespace inlay::inline INLAY_ABI::detail
