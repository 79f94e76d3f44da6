// SPDX-License-Identifier: Apache-2.0
#include <inlay/rewrite/planner/cover/memo.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::planner;
using inlay::planner::detail::below;
using inlay::planner::detail::CoverMemo;

planner::Values set(std::initializer_list<int> values) {
    planner::Values s;
    for (const int v : values) s = s | planner::Values::of(v);
    return s;
}

TEST(CoverMemo, ValuesBelowAreThoseOfLesserNumbers) {
    for (const int v : {1, 5, 63, 64, 65, 127}) {
        EXPECT_EQ(below(v).count(), v);
        EXPECT_FALSE(below(v).has(v));
        EXPECT_TRUE(below(v).has(v - 1));
    }
    EXPECT_TRUE(below(0).empty());
}
/// Two ways to a state are enough for the best cover and the second best.
TEST(CoverMemo, TheThirdWayThatCostsNoLessIsNoUse) {
    CoverMemo memo;
    const planner::Values pending = set({3, 70}), stored = set({1, 90});
    EXPECT_TRUE(memo.improves(pending, stored, 10));
    EXPECT_TRUE(memo.improves(pending, stored, 12));
    EXPECT_FALSE(memo.improves(pending, stored, 12));
    EXPECT_FALSE(memo.improves(pending, stored, 13));
    EXPECT_TRUE(memo.improves(pending, stored, 11));     // 10 and 11
    EXPECT_FALSE(memo.improves(pending, stored, 11));
    EXPECT_TRUE(memo.improves(pending, stored, 5));      // 5 and 10
    EXPECT_FALSE(memo.improves(pending, stored, 10));
}
TEST(CoverMemo, AStateIsWhatIsPendingAndWhatIsStoredBelowIt) {
    CoverMemo memo;
    const auto fill = [&](planner::Values pending, planner::Values stored) {
        const bool first = memo.improves(pending, stored, 1);
        memo.improves(pending, stored, 1);
        return first && !memo.improves(pending, stored, 1);
    };
    EXPECT_TRUE(fill(set({8}), set({2})));
    EXPECT_FALSE(memo.improves(set({8}), set({2, 9}), 1));    // 9 is stored above what is pending: the same state
    EXPECT_TRUE(memo.improves(set({8}), set({2, 3}), 1));
    EXPECT_TRUE(memo.improves(set({7}), set({2}), 1));
    EXPECT_TRUE(fill(set({3, 8}), set({5})));
    EXPECT_TRUE(memo.improves(set({3, 8}), set({6}), 1));     // 5 and 6 lie below 8, not below 3
}
/// A memo that is full forgets, it does not refuse.
TEST(CoverMemo, StatesWithoutAPlaceAreTried) {
    CoverMemo memo;
    int refused = 0;
    for (int turn = 0; turn < 3; ++turn)
        for (std::uint64_t i = 0; i < 4 * CoverMemo::places; ++i)
            refused += !memo.improves({2 * i + 1, std::uint64_t(1) << 40}, {}, 1);
    EXPECT_GT(refused, 0);
    EXPECT_LE(refused, static_cast<int>(CoverMemo::places));
}

}  // namespace
