// SPDX-License-Identifier: Apache-2.0
/// All covers of the least price, on random layers with few prices, against all that a plain enumeration finds.
#include <rewrite/planner/facts_of.hpp>

#include <inlay/rewrite/planner/cover/optima.hpp>

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace inlay;
using namespace inlay::planner;
using namespace inlay::planner::testing;

/// Every set of candidates that a choice for the last value to be stored, one after the other, leads to.
struct All {
    const Candidates& candidates;
    const Prices& prices;
    std::set<std::set<int>> cheapest{};
    std::int64_t least = INT64_MAX;

    void go_on(unsigned pending, unsigned stored, const std::set<int>& chosen, std::int64_t total) {
        if (pending == 0) {
            if (total < least) least = total, cheapest.clear();
            if (total == least) cheapest.insert(chosen);
            return;
        }
        unsigned last = 1;
        while (pending >> 1 >= last) last <<= 1;
        for (int k = 0; k < candidates.count; ++k) {
            const auto out = static_cast<unsigned>(candidates.candidate[k].outputs.a);
            if (!(out & last)) continue;
            std::set<int> more = chosen;
            more.insert(k);
            go_on((pending | static_cast<unsigned>(candidates.candidate[k].needs.a)) & ~(stored | out), stored | out,
                  more, total + prices.ns[k] * Runs{}.of[candidates.candidate[k].phase]);
        }
    }
};

TEST(Optima, AreThoseOfAPlainEnumeration) {
    int several = 0, at_limit = 0, compared = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Facts facts = random_layer(seed, seed % 4 == 0);
        const Cuts cuts = find_cuts(facts, seed % 2 == 0);
        const Candidates candidates = find_candidates(facts, cuts);
        Prices prices;
        Random random{seed + 5};
        for (int i = 0; i < candidates.count; ++i) prices.ns[i] = 1 + random.below(3);
        const Covers covers = find_covers(facts, cuts, candidates, prices);
        const Optima found = find_optima(facts, cuts, candidates, prices, covers.best);
        if (!covers.best.exists) {
            EXPECT_EQ(found.count, 0);
            continue;
        }
        unsigned required = 0;
        for (int v = 0; v < facts.values; ++v)
            if ((facts.is_root(v) || facts.value[v].pin == Pin::materialize) && !facts.is_given(v)) required |= 1u << v;
        All all{candidates, prices};
        all.go_on(required, 0, {}, 0);
        ASSERT_EQ(covers.best.total, all.least) << "seed " << seed;
        std::set<std::set<int>> sets;
        for (int i = 0; i < found.count; ++i) {
            EXPECT_EQ(found.cover[i].total, all.least);
            sets.insert(std::set<int>(found.cover[i].kernel, found.cover[i].kernel + found.cover[i].kernels));
        }
        EXPECT_EQ(sets.size(), static_cast<std::size_t>(found.count)) << "none twice";
        if (!found.all) {
            EXPECT_EQ(found.count, most_optima);
            EXPECT_GT(all.cheapest.size(), sets.size());
            ++at_limit;
            continue;
        }
        ++compared;
        several += found.count > 1;
        EXPECT_EQ(sets, all.cheapest) << "seed " << seed;
    }
    EXPECT_GT(compared, 200);
    EXPECT_GT(several, 30);
    EXPECT_LT(at_limit, 60);
}

}  // namespace
