// SPDX-License-Identifier: Apache-2.0
/// The steps of a recurrence one by one: what each leaves in the state, and the factors that it hands to its caller.
#include "softmax_row.hpp"

#include <inlay/plan/attention/online/state.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace inlay;
using namespace inlay_test;

constexpr double infinite = std::numeric_limits<double>::infinity();

using Softmax = online::Recurrence<Div<Vector, Total>, Add<Top, Log<Total>>>;
using Counted = online::Recurrence<Div<KeySum<Mul<Score, Values>>, KeySum<Score>>>;

/// Numbers of a key.
struct At {
    double score = 0, second = 0, slot = 0;
    double operator()(Score) const { return score; }
    double operator()(SecondScore) const { return second; }
    double operator()(Buf<0>) const { return slot; }
};

TEST(RowState, BeginsWithNoKey) {
    const online::Row<Softmax, double> row;
    EXPECT_EQ(row.most[0], -infinite);
    EXPECT_EQ(row.sum[0], 0);
    EXPECT_TRUE(row.empty());
    EXPECT_EQ(row.output<0>(row.sum, At{}), 0);          // an output with V is 0
    EXPECT_EQ(row.output<1>(row.sum, At{}), -infinite);  // log-sum-exp is what it is
}

TEST(RowState, MaximaRiseByVisibleKeysAlone) {
    using Row = online::Row<Softmax, double>;
    double most[1] = {-infinite};
    Row::raise(most, At{-3});
    EXPECT_EQ(most[0], -3);
    Row::raise(most, At{2});
    Row::raise(most, At{1});
    EXPECT_EQ(most[0], 2);
    Row::raise(most, At{-infinite});
    EXPECT_EQ(most[0], 2);
    // The second score hides a key where the row reads it, and only there.
    EXPECT_FALSE(Row::hidden(At{1, -infinite}));
    using OfSecond = online::Row<online::Recurrence<KeyMax<SecondScore>>, double>;
    EXPECT_TRUE(OfSecond::hidden(At{1, -infinite}));
    EXPECT_TRUE(OfSecond::hidden(At{-infinite, 1}));
    double second[1] = {-infinite};
    OfSecond::raise(second, At{-infinite, 1});
    EXPECT_EQ(second[0], -infinite);
    OfSecond::raise(second, At{7, 1});
    EXPECT_EQ(second[0], 1);
}

// From a maximum of 1 to one of 3: sums are worth e^-2 of what they were.
TEST(RowState, SumsFollowTheMaximum) {
    online::Row<Softmax, double> row;
    double by[1] = {7}, w[1] = {7}, block[1] = {1};
    row.advance(block, by, At{});
    EXPECT_EQ(by[0], 0);  // no key has been seen: what a caller's sums hold is nothing
    row.add(w, At{1});
    EXPECT_EQ(w[0], 1);
    row.add(w, At{-1});
    EXPECT_DOUBLE_EQ(w[0], std::exp(-2.0));
    row.add(w, At{-infinite});
    EXPECT_EQ(w[0], 0);
    EXPECT_DOUBLE_EQ(row.sum[0], 1 + std::exp(-2.0));
    block[0] = 3;
    row.advance(block, by, At{});
    EXPECT_DOUBLE_EQ(by[0], std::exp(-2.0));
    EXPECT_EQ(row.most[0], 3);
    EXPECT_DOUBLE_EQ(row.sum[0], std::exp(-2.0) + std::exp(-4.0));
    block[0] = 2;  // a block of lower scores moves nothing
    row.advance(block, by, At{});
    EXPECT_EQ(by[0], 1);
    EXPECT_EQ(row.most[0], 3);
    EXPECT_FALSE(row.empty());
    const double vector[1] = {5};
    EXPECT_DOUBLE_EQ(row.output<0>(vector, At{}), 5 / (std::exp(-2.0) + std::exp(-4.0)));
    EXPECT_DOUBLE_EQ(row.output<1>(vector, At{}), std::log(std::exp(1.0) + std::exp(-1.0)));
}

TEST(RowState, PartsMeetAtTheGreaterMaximum) {
    online::Row<Softmax, double> low, high;
    double by[1], by_other[1], w[1];
    const double one[1] = {1}, four[1] = {4};
    low.advance(one, by, At{});
    low.add(w, At{1});
    high.advance(four, by, At{});
    high.add(w, At{4});
    high.add(w, At{3});
    auto first = low, second = high;
    first.combine(high, by, by_other, At{});
    EXPECT_DOUBLE_EQ(by[0], std::exp(-3.0));
    EXPECT_EQ(by_other[0], 1);
    EXPECT_EQ(first.most[0], 4);
    EXPECT_DOUBLE_EQ(first.sum[0], std::exp(-3.0) + 1 + std::exp(-1.0));
    second.combine(low, by, by_other, At{});
    EXPECT_EQ(by[0], 1);
    EXPECT_DOUBLE_EQ(by_other[0], std::exp(-3.0));
    EXPECT_DOUBLE_EQ(second.sum[0], first.sum[0]);
    // A part that saw no key brings nothing, and takes all.
    online::Row<Softmax, double> none, all = low;
    all.combine(none, by, by_other, At{});
    EXPECT_TRUE(all.most[0] == low.most[0] && all.sum[0] == low.sum[0] && by[0] == 1 && by_other[0] == 0);
    none.combine(low, by, by_other, At{});
    EXPECT_TRUE(none.most[0] == low.most[0] && none.sum[0] == low.sum[0] && by[0] == 0 && by_other[0] == 1);
}

// Scores that sum to 0 are no row without keys: those are counted in a sum of their own.
TEST(RowState, KeysAreCountedWhereNothingElseShowsThem) {
    static_assert(Counted::guard == online::RowGuard::count);
    online::Row<Counted, double> row;
    double w[2] = {};
    EXPECT_TRUE(row.empty());
    row.add(w, At{-infinite});
    EXPECT_TRUE(row.empty());
    EXPECT_EQ(row.output<0>(w, At{}), 0);
    row.add(w, At{2});
    row.add(w, At{-2});
    EXPECT_EQ(row.sum[0], 0);
    EXPECT_FALSE(row.empty());
    const double vector[1] = {3};
    EXPECT_EQ(row.output<0>(vector, At{}), infinite);  // 3 / 0, as the row has it
}

TEST(RowState, TheMaximumShowsARowWithoutKeys) {
    using Moved = online::Recurrence<Add<Div<Vector, Total>, Buf<0>>>;
    static_assert(Moved::guard == online::RowGuard::maximum);
    online::Row<Moved, double> row;
    EXPECT_TRUE(row.empty());
    const At at{1, 0, 2.5};
    EXPECT_EQ(row.output<0>(row.sum, at), 0);  // though the slot is not
    double by[1], w[1];
    const double block[1] = {1}, vector[1] = {3};
    row.advance(block, by, at);
    row.add(w, at);
    EXPECT_FALSE(row.empty());
    EXPECT_EQ(row.output<0>(vector, at), 3 + 2.5);
}

// Numbers without V of a row without keys: 0 instead of NaN, and a number of the caller's as it is.
TEST(RowState, NumbersOfARowWithoutKeys) {
    using Numbers = online::Recurrence<Div<Vector, Total>, Div<KeySum<Mul<Weight, Score>>, Total>, Max<Top, Buf<0>>>;
    const online::Row<Numbers, double> row;
    const At at{0, 0, -4};
    EXPECT_EQ(row.output<1>(row.sum, at), 0);
    EXPECT_EQ(row.output<2>(row.sum, at), -4);
}

}  // namespace
