// SPDX-License-Identifier: Apache-2.0
#include <inlay/plan/attention/decide.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

std::string chosen(int element_bytes, int d, const AttentionShape& s, const TargetInfo& t) {
    AttentionProblem p;
    p.work = {s, d, element_bytes};
    return text(p, decide(p, t));
}

TEST(AmdAttentionSchedules, ManyQueriesTakeLargeTiles) {
    EXPECT_EQ(chosen(2, 40, {2, 8, 1, 2048, 2048}, gfx942_target), "64x64, 2 stages, 4 warps (by rule, not measured)");
    EXPECT_EQ(chosen(2, 40, {2, 8, 1, 4096, 4096}, gfx90a_target), "128x64, 2 stages, 4 warps (by rule, not measured)");
    EXPECT_EQ(chosen(2, 64, {2, 8, 1, 4096, 4096}, gfx1100_target), "128x64, 2 stages, 8 warps (by rule, not measured)");
    EXPECT_EQ(chosen(2, 160, {2, 8, 1, 256, 256}, gfx1100_target), "64x32, 2 stages, 4 warps (by rule, not measured)");
}
TEST(AmdAttentionSchedules, FewQueriesSplitKeys) {
    EXPECT_EQ(chosen(2, 160, {2, 8, 1, 64, 64}, gfx942_target),
              "16x32, 2 stages, 2 warps in 2 slices (by rule, not measured)");
    EXPECT_EQ(chosen(2, 128, {1, 32, 1, 1, 4096}, gfx942_target),
              "16x32, 2 stages, 2 warps in 2 slices, keys split in 9 (by rule, not measured)");
}
TEST(AmdAttentionSchedules, LongHeadsShareTheirColumns) {
    EXPECT_EQ(chosen(2, 512, {1, 1, 1, 4096, 4096}, gfx90a_target), "16x16, 4 warps in 4 slices (by rule, not measured)");
    EXPECT_EQ(chosen(4, 512, {1, 1, 1, 4096, 4096}, gfx90a_target), "8x16, 4 warps in 4 slices (by rule, not measured)");
}
TEST(AmdAttentionSchedules, FitIntoSharedMemoryAndRegisters) {
    for (const int element_bytes : {2, 4})
        for (int d = 1; d <= 512; ++d) EXPECT_TRUE(amd_attention_fits(element_bytes, d)) << d << " x " << element_bytes;
    // 64 queries, and two stages of 32 keys and values, of rows of 21 chunks of 16 bytes.
    EXPECT_EQ(attention_shared_bytes(amd_attention_schedules(2, 160).at[0], 2, 160, amd_tile_columns),
              (64 + 2 * 2 * 32) * 21 * 16);
    // Rows of V of 5 chunks end before the third tile of 16 columns does.
    EXPECT_EQ(attention_shared_bytes(amd_attention_schedules(2, 40).at[0], 2, 40, amd_tile_columns),
              (128 + 2 * 2 * 64) * 5 * 16 + 16);
}
TEST(AmdAttentionSchedules, RegistersAreThoseOfTheFragments) {
    const AttentionSchedule s = amd_attention_schedules(2, 160).at[0];
    const AmdAttentionRegisters wide = amd_attention_registers(s, 2, 160, 64), narrow =
                                                                                   amd_attention_registers(s, 2, 160, 32);
    EXPECT_EQ(wide.output, 10 * 4);       // 10 tiles of 16 columns, 256 results of 64 lanes
    EXPECT_EQ(narrow.output, 10 * 8);
    EXPECT_EQ(wide.scores, 2 * 4);
    EXPECT_EQ(wide.queries, 10 * 2);      // 10 steps of 16 elements: 8 bytes of a lane,
    EXPECT_EQ(narrow.queries, 8);         // or 32 that two lanes have: too many for all steps
    EXPECT_EQ(wide.waves(64), 512 / 128);
    EXPECT_EQ(narrow.waves(32), 1536 / 192);
}
TEST(AmdAttentionSchedules, EnginesAreTheTargets) {
    AttentionProblem p;
    p.work = {{2, 8, 1, 1024, 1024}, 64, 2};
    EXPECT_EQ(decide(p, gfx90a_target).engine, AttentionEngine::mfma);
    EXPECT_EQ(decide(p, gfx942_target).engine, AttentionEngine::mfma);
    EXPECT_EQ(decide(p, gfx1100_target).engine, AttentionEngine::wmma);
    EXPECT_STREQ(decide(p, gfx1100_target).why(AttentionEngine::mma), "the target is no GPU of NVIDIA's");
    EXPECT_STREQ(decide(p, gfx1100_target).why(AttentionEngine::mfma), "the target has no mfma");
    EXPECT_STREQ(decide(p, sm80_target).why(AttentionEngine::wmma), "the target has no wmma");
    EXPECT_GT(decide(p, gfx1100_target).cost_us, decide(p, gfx942_target).cost_us);
}

}  // namespace
