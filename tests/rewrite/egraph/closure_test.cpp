// SPDX-License-Identifier: Apache-2.0
#include <rewrite/egraph/closure.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay_test::closure;

TEST(EGraphClosure, IsThatOfAllPairs) {
    int merged = 0, duplicates = 0, grown = 0;
    for (unsigned seed = 0; seed < 1500; ++seed) {
        const Case c(seed);
        const std::size_t n = c.terms.size();
        const std::vector<int> sizes = c.sizes();
        std::set<Case::Signature> nodes;
        for (std::size_t p = 0; p < n; ++p) {
            const auto all = c.signatures(p);
            nodes.insert(all.begin(), all.end());
            for (std::size_t q = 0; q < n; ++q)
                ASSERT_EQ(c.graph.find(c.id[p]) == c.graph.find(c.id[q]), c.equal[p][q] != 0)
                    << "seed " << seed << ", terms " << p << " and " << q;
            std::size_t members = 0;
            for (Id m = c.graph.first(c.id[p]); m != none; m = c.graph.next(m)) {
                ++members;
                ASSERT_TRUE(c.graph.live(m) && c.graph.find(m) == c.graph.find(c.id[p])) << "seed " << seed;
                ASSERT_EQ(c.graph.lookup(c.graph.node(m)), c.graph.find(m)) << "seed " << seed;
                for (int i = 0; i < c.graph.node(m).arity; ++i)
                    ASSERT_TRUE(c.graph.is_class(c.graph.node(m).child[i])) << "seed " << seed;
            }
            ASSERT_EQ(members, all.size()) << "seed " << seed << ", term " << p;
            ASSERT_EQ(c.graph.data(c.id[p]).size, sizes[p]) << "seed " << seed << ", term " << p;
            merged += all.size() > 1;
            grown += sizes[p] > 2;
        }
        ASSERT_EQ(c.graph.live_nodes(), static_cast<int>(nodes.size())) << "seed " << seed;
        ASSERT_FALSE(c.graph.limit_reached());
        duplicates += c.graph.size() - c.graph.live_nodes();
    }
    EXPECT_GT(merged, 1000);
    EXPECT_GT(duplicates, 1000);
    EXPECT_GT(grown, 1000);
}

}  // namespace
