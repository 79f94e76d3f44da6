// SPDX-License-Identifier: Apache-2.0
/// The arithmetic behind AMD's schedules.
#include <inlay/plan/gemm/amd_schedules.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

TEST(AmdSchedules, TilesThatTakeTooMuchAreSeen) {
    const auto fits = [](Schedule s, MatrixUnit unit, bool fp32 = false) {
        const Schedule table[] = {s};
        return detail::fits_amd(table, unit, fp32);
    };
    EXPECT_TRUE(fits({128, 64, 64, 2, 8, ""}, MatrixUnit::mfma));
    EXPECT_FALSE(fits({128, 128, 64, 2, 8, ""}, MatrixUnit::mfma));             // rows of the finished tile
    EXPECT_FALSE(fits({128, 64, 64, 3, 8, ""}, MatrixUnit::mfma));              // stages
    EXPECT_FALSE(fits({128, 64, 64, 2, 8, "", 1, 2}, MatrixUnit::mfma));        // two of them on a compute unit
    EXPECT_TRUE(fits({128, 64, 64, 2, 8, "", 1, 2}, MatrixUnit::wmma));         // a pair has 128 KiB
    EXPECT_FALSE(fits({128, 64, 64, 2, 1, ""}, MatrixUnit::wmma));              // sums of one wave
    EXPECT_FALSE(fits({40, 64, 64, 2, 4, ""}, MatrixUnit::mfma));               // no whole atoms
}
TEST(AmdSchedules, WideAtomsNeedWholeOnesOfEachWarp) {
    EXPECT_EQ(amd_atom(mfma_matrix[0], MatrixUnit::mfma, false).m, 32);
    EXPECT_EQ(amd_atom(mfma_matrix[1], MatrixUnit::mfma, false).m, 16);
    EXPECT_EQ(amd_atom(mfma_matrix[0], MatrixUnit::mfma, true).m, 16);
    EXPECT_EQ(amd_atom(mfma_matrix[0], MatrixUnit::wmma, false).lanes, 32);
}
/// 64×32 of a warp: 32 sums, four fragments of two chunks each and three copies.
TEST(AmdSchedules, RegistersAndWavesOfATile) {
    EXPECT_EQ(amd_registers(mfma_matrix[0], MatrixUnit::mfma, false), 32 + 4 * 4 + 3 * 6 + 48);
    EXPECT_EQ(amd_waves(mfma_matrix[0]), 2);
    EXPECT_EQ(amd_most_registers(mfma_matrix[0], MatrixUnit::mfma), 256);
    EXPECT_EQ(amd_shared_bytes(mfma_matrix[0]), 2 * 192 * 128 + 128 * 32);
}
/// A k-block of 128×64×64: 1.05 MFLOP of a compute unit's 1.74 TFLOP/s or 0.64 of fp32 matrices on gfx90a.
TEST(AmdSchedules, TimesFollowTheRates) {
    const Schedule half = amd_timed(mfma_matrix[0], gfx90a_target, false);
    const Schedule single = amd_timed(mfma_matrix_fp32[0], gfx90a_target, true);
    EXPECT_EQ(half.shared, 602);
    EXPECT_EQ(single.shared, 1204);
    EXPECT_GE(half.alone, half.shared);
    EXPECT_LT(amd_timed(mfma_matrix[0], gfx942_target, false).shared, half.shared);
    EXPECT_EQ(amd_timed(mfma_matrix[1], gfx942_target, false).alone, 500);      // a load's time
    Schedule timed = mfma_matrix[0];
    timed.alone = 700, timed.shared = 900;
    EXPECT_EQ(amd_timed(timed, gfx942_target, false).alone, 700);
    EXPECT_EQ(amd_timed(timed, gfx942_target, false).shared, 900);
}

}  // namespace
