// SPDX-License-Identifier: Apache-2.0
/// Bounds of a search for covers: on random layers never above what the cheapest cover costs, and exact in a chain.
#include <rewrite/planner/facts_of.hpp>

#include <inlay/rewrite/planner/cover/bounds.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::planner;
using namespace inlay::planner::testing;
using inlay::planner::detail::Bounds;
using inlay::planner::detail::find_bounds;

planner::Values tasks_of(const Bounds& b, planner::Values of) {
    planner::Values tasks;
    for (planner::Values left = of; !left.empty(); left = left.rest()) tasks = tasks | b.tasks[left.least()];
    return tasks;
}

TEST(Bounds, AreAtMostTheCheapestCover) {
    int compared = 0, tight = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Facts facts = random_layer(seed, seed % 4 == 0);
        const Cuts cuts = find_cuts(facts, seed % 2 == 0);
        const Candidates candidates = find_candidates(facts, cuts);
        Prices prices;
        Random random{seed + 3};
        for (int i = 0; i < candidates.count; ++i) prices.ns[i] = 1 + random.below(50);
        const Covers covers = find_covers(facts, cuts, candidates, prices);
        if (!covers.best.exists) continue;
        const Bounds b = find_bounds(facts, cuts, candidates, prices, Runs{});
        ASSERT_TRUE(b.required.within(b.possible)) << seed;
        if (b.required.empty()) continue;
        const planner::Values tasks = tasks_of(b, b.required);
        EXPECT_LE(b.prices(tasks), covers.best.total) << seed;
        const std::int64_t lower = b.lower_of(b.required, tasks);
        EXPECT_LE(lower, covers.best.total) << seed;
        EXPECT_GE(lower, b.prices(tasks)) << seed;
        ++compared;
        tight += lower == covers.best.total;
    }
    EXPECT_GT(compared, 250);
    EXPECT_GT(tight, compared / 2);
}
/// Three kernels one after the other, each of which is pinned to memory: the bound is their price.
TEST(Bounds, AreTheCostWhereThereIsOneCover) {
    Layer l;
    int x = l.input({2, 8, 16});
    for (int i = 0; i < 3; ++i) {
        x = l.pointwise({x});
        l.facts.value[x].pin = Pin::materialize;
    }
    l.facts.add_root(x);
    const Cuts cuts = find_cuts(l.facts, false);
    const Candidates candidates = find_candidates(l.facts, cuts);
    Prices prices;
    for (int i = 0; i < candidates.count; ++i) prices.ns[i] = 100 + i;
    const Covers covers = find_covers(l.facts, cuts, candidates, prices);
    ASSERT_TRUE(covers.best.exists);
    EXPECT_EQ(covers.best.kernels, 3);
    const Bounds b = find_bounds(l.facts, cuts, candidates, prices, Runs{});
    EXPECT_EQ(b.required.count(), 3);
    EXPECT_EQ(b.prices(tasks_of(b, b.required)), covers.best.total);
    EXPECT_EQ(b.lower_of(b.required, tasks_of(b, b.required)), covers.best.total);
}
/// Candidates of a value come in the order of what they promise, the least first.
TEST(Bounds, ProducersAreInTheOrderOfTheirPromises) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Facts facts = random_layer(seed);
        const Cuts cuts = find_cuts(facts, true);
        const Candidates candidates = find_candidates(facts, cuts);
        Prices prices;
        Random random{seed};
        for (int i = 0; i < candidates.count; ++i) prices.ns[i] = 1 + random.below(9);
        const Bounds b = find_bounds(facts, cuts, candidates, prices, Runs{});
        for (int v = 0; v < facts.values; ++v) {
            int storing = 0;
            for (int i = 0; i < candidates.count; ++i) storing += candidates.candidate[i].outputs.has(v);
            EXPECT_EQ(b.first[v + 1] > b.first[v], b.possible.has(v)) << seed;
            EXPECT_LE(b.first[v + 1] - b.first[v], storing) << seed;
            if (b.possible.has(v)) { EXPECT_EQ(b.promise[b.first[v]], b.lower[v]) << seed; }
            for (int i = b.first[v]; i < b.first[v + 1]; ++i) {
                EXPECT_TRUE(candidates.candidate[b.producer[i]].outputs.has(v)) << seed;
                EXPECT_LE(i > b.first[v] ? b.promise[i - 1] : b.lower[v], b.promise[i]) << seed;
            }
        }
    }
}

}  // namespace
