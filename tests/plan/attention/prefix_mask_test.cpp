// SPDX-License-Identifier: Apache-2.0
#include <inlay/plan/attention/prefix_mask.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

using Causal = LessEqual<Coord<3>, QueryPosition>;

static_assert(PrefixMask<Const<1>>::prefix && PrefixMask<Const<1>>::identity);
static_assert(PrefixMask<Causal>::prefix && !PrefixMask<Causal>::identity);
static_assert(!PrefixMask<Less<Coord<3>, QueryPosition>>::prefix && !PrefixMask<Less<Coord<3>, Param<0>>>::prefix);

// The keys one by one: of more keys than queries, of as many, and of fewer, where the first queries see none.
TEST(PrefixMask, EndsWhereTheConditionDoes) {
    for (const index_t keys : {0, 1, 5, 9})
        for (const index_t queries : {1, 5, 7})
            for (index_t q = 0; q < queries; ++q) {
                index_t seen = 0;
                while (seen < keys && seen <= q + keys - queries) ++seen;
                EXPECT_EQ(PrefixMask<Causal>::end(q, queries, keys), seen) << q << ' ' << queries << ' ' << keys;
                EXPECT_EQ(PrefixMask<Const<1>>::end(q, queries, keys), keys);
            }
}

}  // namespace
