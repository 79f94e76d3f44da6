// SPDX-License-Identifier: Apache-2.0
/// The search visits each extraction up to its ceiling once, and ends where it is stopped or out of branches.
#include "every_choice.hpp"

#include <inlay/rewrite/egraph/search.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace {

using namespace inlay::egraph;
using namespace inlay_test;
using inlay::egraph::detail::Choices;

/// Everything found, at most `left` of it.
struct All {
    std::multiset<std::pair<std::int64_t, Choice>> seen;
    int left = 1'000'000;
    template <class S>
    void take(S& search, std::int64_t total) {
        const auto e = search.current(total);
        Choice term;
        for (Id c = 1; c <= Small::max_nodes; ++c)
            if (!e.chooses(c, none)) term[c] = e.node[c];
        EXPECT_TRUE(e.found() && e.total == total);
        seen.emplace(total, term);
        search.stop = --left == 0;
    }
};
using Searched = inlay::egraph::detail::Search<32, All>;

TEST(Search, FindsEachExtractionUpToTheCeilingOnce) {
    Random random(37);
    std::size_t found = 0, above = 0;
    for (int round = 0; round < 1000; ++round) {
        const int classes = 2 + random.below(7);
        const Small g = random_graph(random, classes);
        const Id root = static_cast<Id>(1 + random.below(classes));
        const auto truth = every_extraction(g, root, listed_price);
        const std::int64_t ceiling = truth.empty() ? 5 : truth.begin()->first + random.below(4);
        std::multiset<std::pair<std::int64_t, Choice>> expected;
        for (const auto& [total, terms] : truth)
            for (const Choice& t : terms)
                if (total <= ceiling) expected.emplace(total, t);
                else ++above;
        All all;
        const Choices<32> choices(g, root, listed_price);
        const Searched search(choices, all, ceiling, 1'000'000);
        EXPECT_FALSE(search.exhausted() || search.stop);
        ASSERT_EQ(all.seen, expected) << "round " << round;
        found += expected.size();
        if (expected.size() < 2) continue;
        All one{{}, 1};
        const Searched stopped(choices, one, ceiling, 1'000'000);
        EXPECT_TRUE(stopped.stop && !stopped.exhausted());
        EXPECT_EQ(one.seen.size(), 1u);
    }
    EXPECT_GT(found, 1000u);
    EXPECT_GT(above, 500u);
}

/// Lowers the ceiling below all that it found.
struct Falling {
    std::vector<std::int64_t> totals;
    template <class S>
    void take(S& search, std::int64_t total) {
        totals.push_back(total);
        search.ceiling = total - 1;
    }
};

/// Three classes in a row of two nodes each: 8 extractions, in 2 + 4 + 8 branches.
TEST(Search, EndsWhereItsBranchesDo) {
    Small g;
    for (int twice = 0; twice < 2; ++twice) g.add(1, 1), g.add(2, 1, 1), g.add(3, 1, 2);
    const Choices<32> choices(g, 3, listed_price);
    All all, some;
    EXPECT_FALSE(Searched(choices, all, never - 1, 14).exhausted());
    EXPECT_EQ(all.seen.size(), 8u);
    const Searched cut(choices, some, never - 1, 13);
    EXPECT_TRUE(cut.exhausted() && cut.stop);
    EXPECT_EQ(some.seen.size(), 7u);
}
/// A visitor may lower the ceiling: nothing as dear is visited then.
TEST(Search, KeepsToACeilingThatFalls) {
    Random random(38);
    for (int round = 0; round < 300; ++round) {
        const Small g = random_graph(random, 6);
        const auto truth = every_extraction(g, 6, listed_price);
        Falling found;
        const Choices<32> choices(g, 6, listed_price);
        const inlay::egraph::detail::Search<32, Falling> search(choices, found, never - 1, 1'000'000);
        ASSERT_EQ(found.totals.empty(), truth.empty());
        if (truth.empty()) continue;
        EXPECT_EQ(found.totals.back(), truth.begin()->first);
        EXPECT_EQ(search.ceiling, truth.begin()->first - 1);
        for (std::size_t i = 1; i < found.totals.size(); ++i) EXPECT_LT(found.totals[i], found.totals[i - 1]);
    }
}

}  // namespace
