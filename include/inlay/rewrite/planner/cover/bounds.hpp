// SPDX-License-Identifier: Apache-2.0
/// The preparation of a search for covers: prices of all runs, the candidates that store each value in the order in which
/// they are tried, the values that must be stored for another one, and shares.
#pragma once

#include <inlay/rewrite/planner/price.hpp>

namespace inlay::inline INLAY_ABI::planner {

/// How often kernels of each phase run, beside each other: at load, once a schedule, once a prompt, in each step.
struct Runs {
    std::int64_t of[most_phases] = {0, 1, 1, 50};
};

namespace detail {

inline constexpr int most_producers = 1024;

struct Bounds {
    Values required, possible;      ///< values that have to be stored; values that candidates can store
    std::int64_t price[most_candidates] = {};   ///< of all runs
    Values must_of[most_candidates];    ///< values that have to be stored for what a candidate reads
    Values must[most_values];           ///< and for a value, itself among them
    std::int64_t share[most_values] = {};
    int first[most_values + 1] = {};    ///< of its producers
    std::int16_t producer[most_producers] = {};     ///< candidates
    bool limited = false;

    constexpr std::int64_t shares(Values of) const {
        std::int64_t sum = 0;
        for (; !of.empty(); of = of.without(Values::of(of.least()))) sum += share[of.least()];
        return sum;
    }
};

constexpr Bounds find_bounds(const Facts& facts, const Cuts& cuts, const Candidates& candidates, const Prices& prices,
                             const Runs& runs) {
    Bounds b;
    for (int i = 0; i < facts.roots; ++i) b.required = b.required | Values::of(facts.root[i]);
    for (int v = 0; v < facts.values; ++v)
        if (facts.value[v].pin == Pin::materialize) b.required = b.required | Values::of(v);
    b.required = b.required.without(cuts.given);

    // Candidates by the first value that they store: lists that are linked in an array.
    std::int16_t head[most_values] = {}, next[most_candidates * most_outputs] = {};
    for (int i = 0; i < candidates.count; ++i) {
        const Candidate& c = candidates.candidate[i];
        b.price[i] = prices.ns[i] * runs.of[c.phase];
        for (int o = 0; o < c.count; ++o) {
            const int entry = i * most_outputs + o;
            next[entry] = head[c.output[o]];
            head[c.output[o]] = static_cast<std::int16_t>(entry + 1);
        }
    }
    int count = 0;
    std::int64_t key[most_producers] = {};
    for (int v = 0; v < facts.values; ++v) {
        b.first[v] = count;
        bool any = false;
        for (int entry = head[v]; entry > 0; entry = next[entry - 1]) {
            const int k = (entry - 1) / most_outputs;
            const Candidate& c = candidates.candidate[k];
            if (!c.needs.within(b.possible)) continue;
            Values m;
            for (Values left = c.needs; !left.empty(); left = left.without(Values::of(left.least())))
                m = m | b.must[left.least()];
            b.must_of[k] = m;
            const std::int64_t share = b.price[k] / c.count;
            b.must[v] = any ? b.must[v] & m : m;
            b.share[v] = any ? smaller(b.share[v], share) : share;
            any = true;
            if (count == most_producers) {
                b.limited = true;
                break;
            }
            // Those first that promise the least in all.
            const std::int64_t promise = b.price[k] + b.shares(m);
            int at = count++;
            for (; at > b.first[v] && key[at - 1] > promise; --at) {
                key[at] = key[at - 1];
                b.producer[at] = b.producer[at - 1];
            }
            key[at] = promise;
            b.producer[at] = static_cast<std::int16_t>(k);
        }
        b.must[v] = b.must[v] | Values::of(v);
        if (any) b.possible = b.possible | Values::of(v);
        b.first[v + 1] = count;
    }
    return b;
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::planner
