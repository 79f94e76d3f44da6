// SPDX-License-Identifier: Apache-2.0
/// Parts of a comparison; whole ones are in intervals_test.cpp and random_conditions_test.cpp.
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/key_condition.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;
using inlay::detail::Comparison;
using inlay::detail::Relation;

TEST(KeyCondition, ASearchCountsTheKeysBeforeABound) {
    for (index_t keys = 0; keys < 20; ++keys)
        for (index_t bound = 0; bound <= keys; ++bound)
            EXPECT_EQ(BinarySearch{}(keys, [&](index_t k) { return k < bound; }), bound) << keys;
}
TEST(KeyCondition, SidesChangePlaces) {
    for (const Relation r : {Relation::greater, Relation::greater_equal, Relation::less, Relation::less_equal,
                             Relation::equal}) {
        EXPECT_EQ(mirrored(mirrored(r)), r);
        EXPECT_EQ(mirrored(r) == r, r == Relation::equal);
    }
}
TEST(KeyCondition, SlotsThatAreSearchedAscend) {
    using Ends = Ascending<Buf<0>>;
    using OfKeys = Comparison<Relation::less, Ends, Coord<2>>;
    static_assert(OfKeys::reads_slots && OfKeys::searched<Ends, Coord<2>>);
    static_assert(!OfKeys::searched<Buf<0>, Coord<2>> && !OfKeys::searched<Ends, Coord<3>>);
    static_assert(!Comparison<Relation::less, Coord<3>, Coord<2>>::reads_slots);
}
TEST(KeyCondition, ATileOfOneRowIsThatRow) {
    const QueryTile one = QueryTile::of({2, 3, 5});
    EXPECT_EQ(one.batch, 2);
    EXPECT_EQ(one.head, 3);
    EXPECT_EQ(one.heads, 1);
    EXPECT_EQ(one.begin, 5);
    EXPECT_EQ(one.end, 6);
    EXPECT_FALSE(one.empty());
    EXPECT_TRUE(QueryTile{}.empty());
}

}  // namespace
