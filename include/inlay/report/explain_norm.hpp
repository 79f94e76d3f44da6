// SPDX-License-Identifier: Apache-2.0
/// Lines of `explain` on what bounds a softmax or norm.
#pragma once

#include <inlay/plan/norm/decide.hpp>

#include <cstdio>
#include <string>

namespace inlay::inline INLAY_ABI::detail {

/// Microseconds of a launch; memory takes `seconds` for all bytes that are moved. Latency is the part that neither
/// bytes nor elements add to: a launch begins, waits for memory, its threads wait for each other, and it ends.
inline std::string norm_bound_text(const NormProblem& w, const NormDecision& d, const TargetInfo& t, double seconds) {
    const double memory = seconds * 1e6;
    char s[256];
    if (d.engine != NormEngine::clusters) {
        const double latency = w.groups > 0 ? t.group_norm_us : t.rows_us;
        std::snprintf(s, sizeof s, "%s; latency %.1f us (measured on an H200), of all: memory %.1f",
                      memory > latency ? "memory" : "latency", latency, memory);
        return s;
    }
    const GroupNormSplit& p = d.clusters;
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
