// SPDX-License-Identifier: Apache-2.0
#include <inlay/plan/attention/schedules.hpp>
#include <inlay/plan/device.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

std::string chosen(int element_bytes, int d, const AttentionShape& s, const TargetInfo& t = sm90_target) {
    const AttentionWork w{s, d, element_bytes};
    return text(attention_schedules(element_bytes, d), choose_attention(t.units, t.shared_bytes, w));
}

TEST(AttentionSchedules, ManyQueriesTakeLargeTiles) {
    EXPECT_EQ(chosen(2, 40, {2, 8, 1, 4096, 4096}), "128x96, 2 stages, 4 warps (measured on an H200)");
    EXPECT_EQ(chosen(2, 128, {8, 32, 1, 2048, 2048}), "128x48, 2 stages, 4 warps (measured on an H200)");
}
TEST(AttentionSchedules, WhatDoesNotFillTheDeviceTakesSmallTilesThenSplitsKeys) {
    EXPECT_EQ(chosen(2, 80, {2, 8, 1, 1024, 1024}), "128x128, 2 stages, 8 warps in 2 slices (measured on an H200)");
    EXPECT_EQ(chosen(2, 160, {2, 8, 1, 256, 77}), "32x64, 3 stages, 4 warps in 2 slices (measured on an H200)");
    EXPECT_EQ(chosen(2, 160, {2, 8, 1, 64, 64}), "16x64, 2 stages, 4 warps in 4 slices (measured on an H200)");
    EXPECT_EQ(chosen(2, 128, {1, 32, 1, 1, 4096}),
              "16x64, 2 stages, 4 warps in 4 slices, keys split in 8 (measured on an H200)");
}
TEST(AttentionSchedules, FewQueriesTakeSmallTilesHoweverManyHeadsThereAre) {
    EXPECT_EQ(chosen(2, 128, {64, 32, 1, 1, 2048}), chosen(2, 128, {64, 32, 4, 1, 2048}));
    EXPECT_EQ(chosen(2, 128, {64, 32, 1, 1, 2048}), "16x64, 2 stages, 4 warps in 4 slices (measured on an H200)");
    // Queries of heads that share their keys fill a tile together.
    EXPECT_EQ(chosen(2, 128, {64, 128, 128, 16, 2048}).substr(0, 6), "128x48");
}
/// Of 64 keys a step: two steps up to 8 blocks, four up to 32, then eight.
TEST(AttentionSchedules, AsManyBlocksShareKeysAsAreWorthIt) {
    const AttentionSchedule s = attention_schedules(2, 128).at[2];
    const auto splits = [&](index_t keys, index_t heads = 1) {
        return attention_splits(s, {1, heads, 1, 1, keys}, sm90_target.units);
    };
    EXPECT_EQ(splits(64), 1);
    EXPECT_EQ(splits(65), 1);
    EXPECT_EQ(splits(4 * 64), 2);
    EXPECT_EQ(splits(1024), 8);
    EXPECT_EQ(splits(2048), 16);
    EXPECT_EQ(splits(4096), 16);
    EXPECT_EQ(splits(8192), 32);
    EXPECT_EQ(splits(16384), 32);
    EXPECT_EQ(splits(32768), 64);
    EXPECT_EQ(splits(1 << 20), 64);
    EXPECT_EQ(splits(1 << 20, 8), 32);      // room for 264 blocks; of 33 shares one would be merged alone
    EXPECT_EQ(splits(1 << 20, 7), 37);
    EXPECT_EQ(splits(1 << 20, 400), 1);
    EXPECT_EQ(splits(0), 1);
    AttentionSchedule alone = s;
    alone.blocks = 1;
    EXPECT_EQ(attention_splits(alone, {1, 4, 1, 1, 131072}, 132), 32);      // a 33rd share would be merged alone
}
/// 132 multiprocessors: a third block each where a round of three is filled, or where rounds are many.
TEST(AttentionSchedules, AThirdBlock) {
    const auto pays = [](index_t blocks) { return third_block_pays(blocks, 132); };
    EXPECT_FALSE(pays(132) || pays(256) || pays(264));
    EXPECT_TRUE(pays(265) && pays(396));
    EXPECT_FALSE(pays(397) || pays(512) || pays(1024));
    EXPECT_TRUE(pays(12 * 132) && pays(2048));
}
TEST(AttentionSchedules, LongHeadsShareTheirColumns) {
    EXPECT_EQ(chosen(2, 512, {1, 1, 1, 4096, 4096}),
              "64x64, 8 warps in 4 slices, keys split in 2 (measured on an H200)");
    EXPECT_EQ(chosen(4, 512, {1, 1, 1, 4096, 4096}), "32x32, 8 warps in 4 slices (measured on an H200)");
    // An A100 has not the shared memory for that.
    EXPECT_EQ(chosen(4, 512, {1, 1, 1, 4096, 4096}, sm80_target).substr(0, 5), "16x16");
}
TEST(AttentionSchedules, EmptyOnesHaveOneToo) {
    EXPECT_EQ(chosen(2, 40, {2, 0, 0, 5, 5}), chosen(2, 40, {2, 8, 1, 0, 0}));
    EXPECT_EQ(attention_blocks(attention_schedules(2, 40).at[0], {2, 0, 0, 5, 5}), 0);
}
TEST(AttentionSchedules, TheLastOfEveryTableFitsEveryTarget) {
    for (const int element_bytes : {2, 4})
        for (int d = 1; d <= 512; ++d) {
            const AttentionSchedules table = attention_schedules(element_bytes, d);
            EXPECT_LE(attention_shared_bytes(table.at[table.size - 1], element_bytes, d), sm80_target.shared_bytes)
                << d << " elements of " << element_bytes << " bytes";
        }
}

}  // namespace
