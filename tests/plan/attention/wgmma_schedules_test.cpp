// SPDX-License-Identifier: Apache-2.0
#include <inlay/plan/attention/wgmma_schedules.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

constexpr int units = 132;

std::string chosen(int d, const AttentionShape& s) {
    const WgmmaAttentionSchedules table = wgmma_attention_schedules(d);
    const WgmmaAttentionChoice c = choose_wgmma_attention(table, s, units);
    return text(table.at[c.index], s, c.parts, table.found);
}

TEST(WgmmaAttentionSchedules, AKernelCompilesAtMostThree) {
    for (int d = 1; d <= 512; ++d) {
        const WgmmaAttentionSchedules table = wgmma_attention_schedules(d);
        EXPECT_LE(table.size, 3);
        for (int i = 0; i < table.size; ++i) {
            const WgmmaAttentionSchedule& s = table.at[i];
            EXPECT_TRUE(s.groups >= 1 && s.groups <= 4 && s.keys % 16 == 0 && s.stages >= 1);
            EXPECT_TRUE(!s.single() || i == table.size - 1) << "the last one is for keys that are one block";
            EXPECT_TRUE(s.parts == 1 || s.single());
        }
    }
}
TEST(WgmmaAttentionSchedules, ManyQueriesTakeLargeTiles) {
    EXPECT_EQ(chosen(40, {2, 8, 1, 4096, 4096}).substr(0, 6), "256x64");
    EXPECT_EQ(chosen(40, {2, 8, 1, 1024, 1024}).substr(0, 7), "128x128");
}
// Of 132 multiprocessors the tiles of one image fill 64, and those of two 128.
TEST(WgmmaAttentionSchedules, BlocksShareTheKeysWhereTheyDoNotFillTheDevice) {
    EXPECT_EQ(chosen(512, {1, 1, 1, 4096, 4096}),
              "64x32, 2 stages, 2 warpgroups of the same queries, 128 blocks, two share the keys (measured on an H200)");
    EXPECT_EQ(chosen(512, {2, 1, 1, 4096, 4096}),
              "64x32, 2 stages, 2 warpgroups of the same queries, 128 blocks (measured on an H200)");
}
TEST(WgmmaAttentionSchedules, ClocksOfSharesOfColumnsAndKeys) {
    // Two warpgroups each multiply 32 steps of 64x32x16 and 2 of 64x256x16; a block has half of the blocks of keys.
    const WgmmaAttentionSchedule s = wgmma_attention_schedules(512).at[1];
    const WgmmaAttentionCost c = wgmma_attention_cost(s, 1, {1, 1, 1, 4096, 4096}, 512, units, 1);
    EXPECT_EQ(c.matrix, 2 * (32 * 16 + 2 * 128));
    EXPECT_EQ(c.special, 2 * 2048 / 16);
    EXPECT_EQ(c.rounds, 1);
    EXPECT_EQ(c.steps, 64);
}
// Heads of a key head fill tiles of 64; where these do not fill the device, blocks share out their keys.
TEST(WgmmaAttentionSchedules, HeadsFillTilesWhereValuesAreColumnsOfTheKeys) {
    const WgmmaAttentionSchedule s = wgmma_attention_schedules(576, 512).at[0];
    const auto slices = [&](const AttentionShape& a) { return choose_wgmma_key_slices(s, a, 576, 512, units); };
    const auto of = [&](const AttentionShape& a) {
        return std::string(text(s, a, 1, "by hand", false, slices(a)).c_str());
    };
    const std::string tile = "64x64, 2 stages, 2 warpgroups of the same heads that read values from the keys, ";
    EXPECT_EQ(of({64, 128, 128, 1, 4096}), tile + "128 blocks (by hand)");
    EXPECT_EQ(of({32, 128, 128, 1, 4096}), tile + "128 blocks, 2 share the keys (by hand)");
    EXPECT_EQ(of({1, 140, 70, 1, 64}), tile + "4 blocks (by hand)");
    EXPECT_EQ(slices({64, 16, 16, 1, 4096}), 2);
    EXPECT_EQ(slices({1, 128, 128, 1, 100000}), 8);
    // 16 clusters of 8 blocks do not all run at once.
    EXPECT_EQ(slices({8, 128, 128, 1, 16384}), 4);
    // 36 steps of 64x64x16 once, and of each half of V 4 of 64x256x16.
    const WgmmaAttentionCost c = wgmma_attention_cost(s, 1, {8, 128, 128, 1, 4096}, 576, units, 1, 512, 0, 4);
    EXPECT_EQ(c.matrix, 1.3 * (36 * 32 + 2 * 4 * 128));
    EXPECT_EQ(c.special, 4096 / 16);
    EXPECT_EQ(c.rounds, 1);
    EXPECT_EQ(c.steps, 16);
}
TEST(WgmmaAttentionSchedules, WarpgroupsHaveSeveralPartsWhereBlocksWouldNotRunAllAtOnce) {
    EXPECT_EQ(chosen(40, {2, 8, 1, 4096, 77}),
              "256x80, 2 warpgroups, each 2 times 64 queries, 256 blocks (measured on an H200)");
    EXPECT_EQ(chosen(40, {2, 8, 1, 1024, 77}), "128x80, 2 warpgroups, 128 blocks (measured on an H200)");
}
TEST(WgmmaAttentionSchedules, ClocksAreThoseOfTheDearerUnit) {
    // 64 scores of 64 keys: 3 products of 64x64x16 and 4 of 64x40x16; 4096 exponentials.
    const WgmmaAttentionSchedule s{1, 64, 2};
    const WgmmaAttentionCost c = wgmma_attention_cost(s, 1, {1, units + 1, 1, 64, 256}, 40, units, 0.5);
    EXPECT_EQ(c.matrix, 3 * 32 + 4 * 20);
    EXPECT_EQ(c.special, 4096 / 16);
    EXPECT_EQ(c.rounds, 2);
    EXPECT_EQ(c.steps, 2);
    EXPECT_EQ(c.clocks(), c.begin + 2 * 2 * c.special);
}

}  // namespace
