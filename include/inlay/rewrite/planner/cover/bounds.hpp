// SPDX-License-Identifier: Apache-2.0
/// The preparation of a search for covers: prices of all runs, the candidates that store each value in the order in
/// which they are tried, and lower bounds.
///
/// Each candidate has a task: to compute its core's value, or without a core its output. A value has tasks that all
/// ways to store it contain. A task costs at least the cheapest candidate that has it, and a kernel has one task, so
/// the sum over tasks that no chosen kernel has is a lower bound of what is still to be paid. A bound that counts
/// passes too goes from value to value: a value costs at least the least, over its candidates, of the price and what
/// one of the values costs that the candidate reads; to it are added tasks of the others that no way to store the one
/// contains.
#pragma once

#include <inlay/rewrite/planner/cost/price.hpp>

namespace inlay::inline INLAY_ABI::planner {

/// Runs of the kernels of each phase, as weights: at load, once a schedule, once a prompt, in each step.
struct Runs {
    std::int64_t of[most_phases] = {0, 1, 1, 50};
};

namespace detail {

inline constexpr int most_producers = 1024;

struct Bounds {
    Values required, possible;      ///< values that have to be stored; values that candidates can store
    std::int64_t price[most_candidates] = {};   ///< of all runs
    std::uint8_t task[most_candidates] = {};
    Values tasks_of[most_candidates];   ///< tasks of a candidate and of all ways to store what it reads
    Values tasks[most_values];          ///< tasks that all ways to store a value contain
    Values may[most_values];            ///< and those that any contains
    std::int64_t least[most_values] = {};   ///< the price of a task
    std::int64_t lower[most_values] = {};   ///< of a value, at least, where nothing is stored yet
    std::int64_t share[most_values] = {};   ///< of the kernel that stores it, by the number of its outputs, at least
    std::int64_t under[most_values] = {};   ///< of all that this kernel reads, at least
    Values stored_under[most_values];       ///< values that kernels under it may store
    int first[most_values + 1] = {};    ///< of its producers
    std::int16_t producer[most_producers] = {};     ///< candidates
    std::int64_t promise[most_producers] = {};  ///< of each, at least, with all it reads, where nothing is stored yet
    bool limited = false;

    constexpr std::int64_t prices(Values of) const {
        std::int64_t sum = 0;
        for (; of.a != 0; of.a &= of.a - 1) sum += least[__builtin_ctzll(of.a)];
        for (; of.b != 0; of.b &= of.b - 1) sum += least[64 + __builtin_ctzll(of.b)];
        return sum;
    }
    /// At least, to store all of a set, which is not empty, where nothing is stored yet. `of_tasks`: tasks of them.
    constexpr std::int64_t lower_of(Values of, Values of_tasks) const {
        std::int64_t most = 0;
        for (Values left = of; !left.empty(); left = left.rest())
            most = larger(most, lower_by(left.least(), of, of_tasks));
        return most;
    }
    /// The same by one of the set: it, and tasks of the others that no way to store it contains; or what is under it,
    /// and the shares of all of the set that no kernel under it may store.
    constexpr std::int64_t lower_by(int v, Values of, Values of_tasks) const {
        std::int64_t shares = under[v];
        of = of.without(stored_under[v]);
        for (; of.a != 0; of.a &= of.a - 1) shares += share[__builtin_ctzll(of.a)];
        for (; of.b != 0; of.b &= of.b - 1) shares += share[64 + __builtin_ctzll(of.b)];
        return larger(lower[v] + prices(of_tasks.without(may[v])), shares);
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
    Values any_of;
    for (int i = 0; i < candidates.count; ++i) {
        const Candidate& c = candidates.candidate[i];
        const int core = cuts.cut[c.cut].core, task = core >= 0 ? facts.node[core].value : c.output[0];
        b.price[i] = prices.ns[i] * runs.of[c.phase];
        b.task[i] = static_cast<std::uint8_t>(task);
        b.least[task] = any_of.has(task) ? smaller(b.least[task], b.price[i]) : b.price[i];
        any_of = any_of | Values::of(task);
        for (int o = 0; o < c.count; ++o) {
            const int entry = i * most_outputs + o;
            next[entry] = head[c.output[o]];
            head[c.output[o]] = static_cast<std::int16_t>(entry + 1);
        }
    }
    int count = 0;
    Values beside[most_values];     // values that a kernel which stores one may store too
    for (int v = 0; v < facts.values; ++v) {
        b.first[v] = count;
        bool any = false;
        for (int entry = head[v]; entry > 0; entry = next[entry - 1]) {
            const int k = (entry - 1) / most_outputs;
            const Candidate& c = candidates.candidate[k];
            if (!c.needs.within(b.possible)) continue;
            Values t, may = Values::of(b.task[k]), stored;
            for (Values left = c.needs; !left.empty(); left = left.rest()) {
                t = t | b.tasks[left.least()];
                may = may | b.may[left.least()];
                stored = stored | b.stored_under[left.least()] | beside[left.least()];
            }
            const std::int64_t under = b.lower_of(c.needs, t), promise = b.price[k] + under;
            b.share[v] = any ? smaller(b.share[v], b.price[k] / c.count) : b.price[k] / c.count;
            b.under[v] = any ? smaller(b.under[v], under) : under;
            b.stored_under[v] = b.stored_under[v] | stored;
            beside[v] = beside[v] | c.outputs;
            t = t | Values::of(b.task[k]);
            b.tasks_of[k] = t;
            b.tasks[v] = any ? b.tasks[v] & t : t;
            b.lower[v] = any ? smaller(b.lower[v], promise) : promise;
            b.may[v] = b.may[v] | may;
            any = true;
            if (count == most_producers) {
                b.limited = true;
                break;
            }
            // Those first that promise the least in all.
            int at = count++;
            for (; at > b.first[v] && b.promise[at - 1] > promise; --at) {
                b.promise[at] = b.promise[at - 1];
                b.producer[at] = b.producer[at - 1];
            }
            b.promise[at] = promise;
            b.producer[at] = static_cast<std::int16_t>(k);
        }
        if (any) b.possible = b.possible | Values::of(v);
        b.first[v + 1] = count;
    }
    return b;
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::planner
