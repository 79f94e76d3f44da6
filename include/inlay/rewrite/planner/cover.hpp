// SPDX-License-Identifier: Apache-2.0
/// The cover: candidates of the least total price that store all results of a layer and all that they read. Exact, by
/// branch and bound over the values that are still to be stored, the last one first. `cover/bounds.hpp` has the bound.
#pragma once

#include <inlay/rewrite/planner/cover/bounds.hpp>
#include <inlay/rewrite/planner/cover/memo.hpp>

namespace inlay::inline INLAY_ABI::planner {

inline constexpr int most_kernels = 64;

struct Cover {
    bool exists = false;
    int kernels = 0;
    std::int16_t kernel[most_kernels] = {};     ///< candidates, in an order in which they can run
    std::int64_t total = 0;                     ///< nanoseconds of all runs

    constexpr bool has(int candidate) const {
        for (int i = 0; i < kernels; ++i)
            if (kernel[i] == candidate) return true;
        return false;
    }
    /// Set of the candidates, in any order.
    constexpr bool same(const Cover& o) const {
        if (kernels != o.kernels) return false;
        for (int i = 0; i < kernels; ++i)
            if (!o.has(kernel[i])) return false;
        return true;
    }
};

struct Covers {
    Cover best, runner_up;          ///< the second best of all covers
    std::int64_t lower = 0;         ///< no cover costs less; of an exact search the total
    bool exact = true;              ///< the search ended before its limit
    int steps = 0;                  ///< states that it entered
};

namespace detail {

struct CoverSearch {
    const Candidates& candidates;
    const Bounds& bounds;
    Covers& found;
    int limit;
    CoverMemo memo{};
    std::int16_t chosen[most_kernels] = {};

    struct State {
        Values pending, covered;    ///< values still to be stored; values stored
        Values tasks, done;         ///< tasks of all that is pending or chosen; tasks of what is chosen
        std::int64_t cost = 0;      ///< so far
        int depth = 0;
    };

    constexpr State begin() const {
        State s;
        s.pending = bounds.required;
        for (Values left = s.pending; !left.empty(); left = left.rest())
            s.tasks = s.tasks | bounds.tasks[left.least()];
        return s;
    }
    /// The least total of a cover that begins like this.
    constexpr std::int64_t least(const State& s) const {
        if (s.pending.empty()) return s.cost;
        const Values left = s.tasks.without(s.done);
        const int v = s.pending.greatest();
        // Some of what is below is stored already, by kernels of several outputs: tasks alone count.
        if (s.covered.meets(below(v))) return s.cost + bounds.prices(left);
        return s.cost + bounds.lower_by(v, s.pending, left);
    }
    constexpr bool hopeless(const State& s) const {
        return found.runner_up.exists && least(s) >= found.runner_up.total;
    }

    constexpr void record(const State& s) {
        Cover c;
        c.exists = true;
        c.total = s.cost;
        c.kernels = s.depth;
        for (int i = 0; i < s.depth; ++i) c.kernel[i] = chosen[i];
        if (found.best.exists && c.same(found.best)) return;
        if (!found.best.exists || c.total < found.best.total) {
            found.runner_up = found.best;
            found.best = c;
        } else if (!found.runner_up.exists || c.total < found.runner_up.total) {
            found.runner_up = c;
        }
    }
    constexpr State with(const State& s, int k) const {
        const Candidate& c = candidates.candidate[k];
        State n;
        n.covered = s.covered | c.outputs;
        n.pending = (s.pending | c.needs).without(n.covered);
        n.done = s.done | Values::of(bounds.task[k]);
        n.tasks = s.tasks | bounds.tasks_of[k];
        n.cost = s.cost + bounds.price[k];
        n.depth = s.depth + 1;
        return n;
    }
    constexpr void search(const State& s) {
        if (s.pending.empty()) return record(s);
        if (found.steps == limit || s.depth == most_kernels) return static_cast<void>(found.exact = false);
        ++found.steps;
        const int v = s.pending.greatest();
        const bool anew = !s.covered.meets(below(v));
        const std::int64_t beside = s.cost + bounds.prices(s.tasks.without(s.done | bounds.may[v]));
        for (int i = bounds.first[v]; i < bounds.first[v + 1]; ++i) {
            // They stand in the order of what they promise.
            if (anew && found.runner_up.exists && beside + bounds.promise[i] >= found.runner_up.total) return;
            const int k = bounds.producer[i];
            const State n = with(s, k);
            if (hopeless(n)) continue;
            if (!n.pending.empty() && !memo.improves(n.pending, n.covered, n.cost)) continue;
            chosen[s.depth] = static_cast<std::int16_t>(k);
            search(n);
        }
    }
    /// A kernel reads values that come before all of its outputs, so the least of these orders kernels.
    constexpr void sort(Cover& c) const {
        for (int i = 1; i < c.kernels; ++i)
            for (int j = i; j > 0 && candidates.candidate[c.kernel[j]].outputs.least() <
                                         candidates.candidate[c.kernel[j - 1]].outputs.least();
                 --j) {
                const std::int16_t k = c.kernel[j];
                c.kernel[j] = c.kernel[j - 1];
                c.kernel[j - 1] = k;
            }
    }
};

}  // namespace detail

/// The best cover and the second best. None exists where pins, or what frames take, allow none. `limit`: states that
/// the search enters at most; beyond it, the best so far, and the lower bound.
constexpr Covers find_covers(const Facts& facts, const Cuts& cuts, const Candidates& candidates, const Prices& prices,
                             const Runs& runs = {}, int limit = 4096) {
    Covers found;
    const detail::Bounds bounds = detail::find_bounds(facts, cuts, candidates, prices, runs);
    found.exact = !bounds.limited;
    if (!bounds.required.within(bounds.possible)) return found;
    detail::CoverSearch search{candidates, bounds, found, limit};
    const detail::CoverSearch::State s = search.begin();
    const std::int64_t lower = search.least(s);
    search.search(s);
    search.sort(found.best);
    search.sort(found.runner_up);
    found.lower = found.exact ? found.best.total : lower;
    return found;
}

}  // namespace inlay::inline INLAY_ABI::planner
