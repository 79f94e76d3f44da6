// SPDX-License-Identifier: Apache-2.0
/// All covers of the least total, by the search that found one of them. The best cover of a plan is the first.
#pragma once

#include <inlay/rewrite/planner/cover.hpp>

namespace inlay::inline INLAY_ABI::planner {

inline constexpr int most_optima = 16;

struct Optima {
    int count = 0;
    Cover cover[most_optima] = {};      ///< with their kernels in an order in which they can run
    bool all = true;                    ///< there are no more: neither the covers nor the steps ended at a limit
    int steps = 0;
};

namespace detail {

struct OptimaSearch {
    CoverSearch& covers;        ///< of its bounds and candidates; it finds nothing itself
    std::int64_t total;
    Optima& found;
    int limit;

    constexpr void record(const CoverSearch::State& s) {
        Cover c;
        c.exists = true;
        c.total = s.cost;
        c.kernels = s.depth;
        for (int i = 0; i < s.depth; ++i) c.kernel[i] = covers.chosen[i];
        for (int i = 0; i < found.count; ++i)
            if (c.same(found.cover[i])) return;
        if (found.count == most_optima) return static_cast<void>(found.all = false);
        covers.sort(c);
        found.cover[found.count++] = c;
    }
    constexpr void search(const CoverSearch::State& s) {
        if (s.pending.empty()) return record(s);
        if (found.steps == limit || s.depth == most_kernels) return static_cast<void>(found.all = false);
        ++found.steps;
        const int v = s.pending.greatest();
        for (int i = covers.bounds.first[v]; i < covers.bounds.first[v + 1] && found.all; ++i) {
            const CoverSearch::State n = covers.with(s, covers.bounds.producer[i]);
            if (covers.least(n) > total) continue;
            covers.chosen[s.depth] = covers.bounds.producer[i];
            search(n);
        }
    }
};

}  // namespace detail

/// Every cover whose total is that of `best`, up to `most_optima`. `limit`: states that the search enters at most.
constexpr Optima find_optima(const Facts& facts, const Cuts& cuts, const Candidates& candidates, const Prices& prices,
                             const Cover& best, const Runs& runs = {}, int limit = 4096) {
    Optima found;
    if (!best.exists) return found;
    found.cover[found.count++] = best;
    const detail::Bounds bounds = detail::find_bounds(facts, cuts, candidates, prices, runs);
    found.all = !bounds.limited;
    Covers none;
    detail::CoverSearch covers{candidates, bounds, none, limit};
    detail::OptimaSearch search{covers, best.total, found, limit};
    search.search(covers.begin());
    return found;
}

}  // namespace inlay::inline INLAY_ABI::planner
