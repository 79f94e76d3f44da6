// SPDX-License-Identifier: Apache-2.0
/// Measured schedules go before the rule's: where a table has exactly the shape, with a tile that the kernels have.
#include <inlay/plan/gemm/wgmma.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;

/// A linear layer of m rows, n columns and a sum of k.
WgmmaGrid linear(index_t m, index_t n, index_t k) {
    WgmmaGrid w;
    w.m = m, w.n = n, w.k = k, w.steps = (k + 63) / 64;
    return w;
}
template <std::size_t N>
constexpr WgmmaTable table(const WgmmaTuned (&rows)[N]) {
    return {"fake", 132, rows, N};
}

TEST(WgmmaTable, FindsTheExactShapeOnItsDevice) {
    const WgmmaTuned rows[] = {{linear(128, 320, 640).shape(), 128, 80, false, 2, 5, 6},
                                {linear(256, 320, 640).shape(), 128, 160, false, 1, 7, 7}};
    const WgmmaTable t = table(rows);
    EXPECT_EQ(t.find(linear(128, 320, 640).shape(), 132), 0u);
    EXPECT_EQ(t.find(linear(256, 320, 640).shape(), 132), 1u);
    EXPECT_EQ(t.find(linear(128, 320, 640).shape(), 114), t.size);
    EXPECT_EQ(WgmmaTable{}.find(linear(128, 320, 640).shape(), 132), 0u);
    for (WgmmaGrid w : {linear(129, 320, 640), linear(128, 328, 640), linear(128, 320, 648)})
        EXPECT_EQ(t.find(w.shape(), 132), t.size);
    WgmmaGrid w = linear(128, 320, 640);
    w.pairs = true;
    EXPECT_EQ(t.find(w.shape(), 132), t.size);
    w = linear(128, 320, 640);
    w.evaluates = true;
    EXPECT_EQ(t.find(w.shape(), 132), t.size);
    w = linear(128, 320, 640);
    w.batch = 2;
    EXPECT_EQ(t.find(w.shape(), 132), t.size);
}
TEST(WgmmaTable, KnowsPixelsUnderHaloTilesFromRows) {
    WgmmaGrid w = linear(128, 320, 64);
    w.rows.images = 2, w.rows.height = w.rows.width = 8;
    EXPECT_EQ(w.shape(), linear(128, 320, 64).shape());     // 1×1: rows are rows
    w.windows = 3, w.taps = 9;
    const WgmmaShape halo{WgmmaInput::halo, false, 1, 2, 8, 8, 9, 320, 64};
    EXPECT_EQ(w.shape(), halo);
    w.evaluates = true;
    EXPECT_EQ(w.shape().input, WgmmaInput::evaluated_halo);
}
TEST(WgmmaTable, GoesBeforeTheRule) {
    const WgmmaGrid w = linear(2048, 640, 640);
    const ChosenWgmma by_rule = choose_wgmma_by_rule(w, 132);
    EXPECT_FALSE(by_rule.measured);
    const WgmmaTuned rows[] = {{w.shape(), 128, 160, false, 2, 5, 6}};
    ASSERT_NE(by_rule.schedule.n, 160);
    const ChosenWgmma c = choose_wgmma(table(rows), w, 132);
    EXPECT_EQ(c.us, 5);
    EXPECT_EQ(c.rule_us, 6);
    EXPECT_EQ(c.schedule.n, 160);
    EXPECT_EQ(c.choice.parts, 2);
    EXPECT_EQ(c.tiles, 16 * 4);
    EXPECT_EQ(c.choice.clocks, wgmma_cost(c.schedule, 64, 10, 2, 132).clocks());
    EXPECT_NE(text(c).find("measured on an H200: 5.0 us, by rule 6.0"), std::string::npos) << text(c);
    EXPECT_NE(text(by_rule).find("by rule"), std::string::npos) << text(by_rule);
}
TEST(WgmmaTable, WhatDoesNotSuitIsLeftToTheRule) {
    const auto by_rule = [](const WgmmaTuned& row, const WgmmaGrid& w) {
        const ChosenWgmma c = choose_wgmma(WgmmaTable{"fake", 132, &row, 1}, w, 132),
                           rule = choose_wgmma_by_rule(w, 132);
        return !c.measured && c.choice.index == rule.choice.index && c.choice.parts == rule.choice.parts;
    };
    WgmmaGrid w = linear(512, 1280, 5120);
    EXPECT_FALSE(by_rule({w.shape(), 128, 80, false, 2, 5, 6}, w));
    EXPECT_TRUE(by_rule({w.shape(), 128, 96, false, 1, 5, 6}, w));      // no such tile
    EXPECT_TRUE(by_rule({w.shape(), 128, 128, false, 1, 5, 6}, w));     // its warpgroups alternate
    EXPECT_TRUE(by_rule({w.shape(), 128, 80, false, 4, 5, 6}, w));      // 64 clusters of 4 do not run at once
    EXPECT_TRUE(by_rule({w.shape(), 128, 128, true, 2, 5, 6}, w));      // warpgroups that alternate share no sum
    EXPECT_FALSE(by_rule({w.shape(), 128, 128, true, 1, 5, 6}, w));
    w.cuts = true;                                                      // heads of 40 are no part of 128
    EXPECT_TRUE(by_rule({w.shape(), 128, 128, true, 1, 5, 6}, w));
    EXPECT_FALSE(by_rule({w.shape(), 128, 80, false, 2, 5, 6}, w));
}

}  // namespace
