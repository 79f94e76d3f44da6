// SPDX-License-Identifier: Apache-2.0
/// Covers against every subset of stored values, on random layers; and the covers of whole layers as constants.
#include <rewrite/planner/facts_of.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <set>

namespace {

using namespace inlay;
using namespace inlay::planner;
using namespace inlay::planner::testing;

constexpr std::int64_t no_cover = INT64_MAX / 4;

struct Case {
    Facts facts;
    Cuts cuts;
    Candidates candidates;
    Prices prices;
    Runs runs;

    Case(std::uint64_t seed, bool pins, bool all = false) : facts(random_layer(seed, pins)) {
        cuts = find_cuts(facts, all);
        candidates = find_candidates(facts, cuts);
        Random random{seed + 5};
        for (int i = 0; i < candidates.count; ++i)
            prices.ns[i] = arranges(facts, expand(facts, cuts, candidates, i)) ? 0 : 1 + random.below(60);
    }
    std::int64_t price(int k) const { return prices.ns[k] * runs.of[candidates.candidate[k].phase]; }
    /// Layers have few values: a set of them is an integer.
    static unsigned bits(const planner::Values& of) { return static_cast<unsigned>(of.a); }
    unsigned required() const {
        unsigned r = 0;
        for (int v = 0; v < facts.values; ++v)
            if ((facts.is_root(v) || facts.value[v].pin == Pin::materialize) && !facts.is_given(v)) r |= 1u << v;
        return r;
    }
};

/// The least price to store the values `left`, by candidates that read only values of `stored`.
std::int64_t cheapest(const Case& c, unsigned stored, unsigned left) {
    if (left == 0) return 0;
    std::int64_t best = no_cover;
    for (int k = 0; k < c.candidates.count; ++k) {
        const unsigned out = Case::bits(c.candidates.candidate[k].outputs);
        if (!(out & left & (0 - left)) || (Case::bits(c.candidates.candidate[k].needs) & ~stored)) continue;
        best = std::min(best, c.price(k) + cheapest(c, stored, left & ~out));
    }
    return best;
}
/// Over every subset of values that could be stored.
std::int64_t brute_force(const Case& c) {
    unsigned storable = 0;
    for (int v = 0; v < c.facts.values; ++v)
        if (!c.facts.is_given(v)) storable |= 1u << v;
    const unsigned required = c.required(), free = storable & ~required;
    std::int64_t best = no_cover;
    for (unsigned more = free;; more = (more - 1) & free) {
        best = std::min(best, cheapest(c, required | more, required | more));
        if (more == 0) return best;
    }
}
/// All covers that choose a candidate for the last value to be stored, one after the other: their two least totals.
struct All {
    const Case& c;
    std::set<std::set<int>> seen{};
    std::int64_t best = no_cover, second = no_cover;

    void go_on(unsigned pending, unsigned stored, const std::set<int>& chosen, std::int64_t total) {
        if (pending == 0) {
            if (!seen.insert(chosen).second) return;
            if (total < best) second = best, best = total;
            else second = std::min(second, total);
            return;
        }
        for (int k = 0; k < c.candidates.count; ++k) {
            const unsigned out = Case::bits(c.candidates.candidate[k].outputs);
            if (!(out & std::bit_floor(pending))) continue;
            std::set<int> more = chosen;
            more.insert(k);
            go_on((pending | Case::bits(c.candidates.candidate[k].needs)) & ~(stored | out), stored | out, more,
                  total + c.price(k));
        }
    }
};
void expect_valid(const Case& c, const Cover& cover) {
    unsigned stored = 0;
    std::int64_t total = 0;
    for (int i = 0; i < cover.kernels; ++i) {
        const Candidate& x = c.candidates.candidate[cover.kernel[i]];
        EXPECT_EQ(Case::bits(x.needs) & ~stored, 0u) << "order of kernels";
        stored |= Case::bits(x.outputs);
        total += c.price(cover.kernel[i]);
    }
    EXPECT_EQ(c.required() & ~stored, 0u);
    EXPECT_EQ(total, cover.total);
}

TEST(Cover, IsTheCheapestOfEverySubsetOfStoredValues) {
    int exist = 0, none = 0, runners = 0, in_parts = 0;
    for (std::uint64_t seed = 0; seed < 700; ++seed) {
        const Case c(seed, seed % 4 == 0, seed % 2 == 0);
        const Covers found = find_covers(c.facts, c.cuts, c.candidates, c.prices);
        const std::int64_t expected = brute_force(c);
        ASSERT_EQ(found.best.exists, expected < no_cover) << "seed " << seed;
        if (!found.best.exists) {
            ++none;
            continue;
        }
        ++exist;
        EXPECT_TRUE(found.exact);
        EXPECT_EQ(found.best.total, expected) << "seed " << seed;
        EXPECT_EQ(found.lower, expected);
        expect_valid(c, found.best);
        for (int i = 0; i < found.best.kernels; ++i)
            in_parts += c.candidates.candidate[found.best.kernel[i]].count > 1;
        All all{c};
        all.go_on(c.required(), 0, {}, 0);
        EXPECT_EQ(found.runner_up.exists, all.second < no_cover) << "seed " << seed;
        if (!found.runner_up.exists) continue;
        ++runners;
        EXPECT_EQ(found.runner_up.total, all.second) << "seed " << seed;
        EXPECT_FALSE(found.runner_up.same(found.best));
        expect_valid(c, found.runner_up);
    }
    EXPECT_GE(exist, 500);
    EXPECT_GT(none, 10);
    EXPECT_GT(runners, 300);
    EXPECT_GT(in_parts, 20);
}

/// A kernel of two outputs stores a value that another one reads later: no bound counts it again.
TEST(Cover, WhatIsStoredBesideAnotherOutputIsNotPaidAgain) {
    Layer l;
    const int x = l.input({2, 8, 8}), product = l.linear_without_bias(x, 16);
    const int first = l.part(product, 0, 2);
    l.node(symbol(Role::pointwise), {x});
    const int reader = l.add(core_symbol(Core::linear, 1), {2, 8, 8}, {first, l.weight({8, 8})});
    const int second = l.part(product, 1, 2);
    l.node(symbol(Role::pointwise), {x});
    l.facts.add_root(reader);
    l.facts.add_root(second);
    l.facts.value[first].pin = Pin::materialize;
    const Cuts cuts = find_cuts(l.facts);
    const Candidates candidates = find_candidates(l.facts, cuts);
    Prices prices;
    for (int i = 0; i < candidates.count; ++i) {
        const Kernel k = expand(l.facts, cuts, candidates, i);
        prices.ns[i] = k.outputs == 2 ? 10 : k.output[0] == reader ? 1 : k.core >= 0 || k.slot[0] != x ? 100 : 8;
        if (k.output[0] == second && k.outputs == 1 && k.slot[0] == x) prices.ns[i] = 5;
    }
    const Covers found = find_covers(l.facts, cuts, candidates, prices);
    EXPECT_EQ(found.best.total, 11 * 50);
    EXPECT_EQ(found.runner_up.total, 14 * 50);
}

TEST(Cover, ALimitLeavesALowerBound) {
    int short_of = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Case c(seed, false, true);
        const std::int64_t expected = find_covers(c.facts, c.cuts, c.candidates, c.prices).best.total;
        const Covers found = find_covers(c.facts, c.cuts, c.candidates, c.prices, c.runs, 3);
        EXPECT_LE(found.steps, 3);
        EXPECT_LE(found.lower, expected) << "seed " << seed;
        if (found.best.exists) {
            EXPECT_GE(found.best.total, expected) << "seed " << seed;
        }
        short_of += !found.exact;
    }
    EXPECT_GT(short_of, 40);
}

TEST(Cover, StoresWhatIsPinnedAndNotWhatIsFused) {
    int pinned = 0, fused = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const Case c(seed, true);
        const Cover best = find_covers(c.facts, c.cuts, c.candidates, c.prices).best;
        unsigned stored = 0;
        for (int i = 0; i < best.kernels; ++i)
            stored |= Case::bits(c.candidates.candidate[best.kernel[i]].outputs);
        for (int v = 0; best.exists && v < c.facts.values; ++v) {
            if (c.facts.is_given(v) || c.facts.is_root(v)) continue;
            const Pin pin = c.facts.value[v].pin;
            pinned += pin == Pin::materialize;
            fused += pin == Pin::fuse;
            EXPECT_TRUE(pin != Pin::materialize || (stored >> v & 1)) << "seed " << seed << ", value " << v;
            EXPECT_TRUE(pin != Pin::fuse || !(stored >> v & 1)) << "seed " << seed << ", value " << v;
        }
    }
    EXPECT_GT(pinned, 50);
    EXPECT_GT(fused, 50);
}

/// The same layer of [2, 4096, 320].
Facts larger_layer(std::uint64_t seed) {
    Facts f = random_layer(seed);
    for (int v = 0; v < f.values; ++v) {
        ValueFacts& x = f.value[v];
        x.extents[x.rank - 1] *= 20;
        x.extents[1] *= x.rank == 3 ? 512 : 1;
        if (x.rank == 2) x.extents[0] *= 20;
    }
    return f;
}
/// By the prices of a target no cover gains by values that `cuts/needless.hpp` leaves out.
TEST(Cover, NeedlessValuesAreInNoCheaperCover) {
    int needless = 0;
    for (const TargetInfo& target : {sm90a_target, sm80_target, host_target})
        for (std::uint64_t seed = 0; seed < 1000; ++seed) {
            const Facts facts = larger_layer(seed);
            std::int64_t total[2] = {};
            for (const bool all : {false, true}) {
                const Cuts cuts = find_cuts(facts, all);
                const Candidates candidates = find_candidates(facts, cuts);
                const Prices prices = price_all(facts, cuts, candidates, target);
                const Covers found = find_covers(facts, cuts, candidates, prices);
                total[all] = found.best.exists ? found.best.total : no_cover;
                if (candidates.limited || !found.exact) total[all] = -1;
                needless += cuts.needless.count();
            }
            if (total[0] < 0 || total[1] < 0) continue;
            // Prices are rounded to nanoseconds, of 50 runs.
            EXPECT_LE(std::abs(total[0] - total[1]), 500) << target.name << ' ' << seed;
        }
    EXPECT_GT(needless, 300);
}

namespace of_transformer {
constexpr Facts facts = transformer(4096, 320, 8);
constexpr Cuts cuts = find_cuts(facts);
constexpr Candidates candidates = find_candidates(facts, cuts);
constexpr Covers covers = find_covers(facts, cuts, candidates, price_all(facts, cuts, candidates, sm90a_target));
}  // namespace of_transformer

TEST(Cover, IsTheSameAtRunTime) {
    const Facts facts = transformer(4096, 320, 8);
    const Cuts cuts = find_cuts(facts);
    const Candidates candidates = find_candidates(facts, cuts);
    const Covers covers = find_covers(facts, cuts, candidates, price_all(facts, cuts, candidates, sm90a_target));
    EXPECT_EQ(covers.best.total, of_transformer::covers.best.total);
    EXPECT_TRUE(covers.best.same(of_transformer::covers.best));
    EXPECT_TRUE(covers.runner_up.same(of_transformer::covers.runner_up));
}

}  // namespace
