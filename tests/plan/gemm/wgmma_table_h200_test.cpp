// SPDX-License-Identifier: Apache-2.0
/// Rows of the H200's table: in order, each found by its shape, with tiles that the kernels have, on the H200 alone.
#include <inlay/plan/gemm/wgmma.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace inlay;

TEST(WgmmaTableH200, IsInOrderAndHasNoShapeTwice) {
    ASSERT_GT(wgmma_table_h200.size, 100u);
    EXPECT_EQ(wgmma_table_h200.units, 132);
    for (std::size_t i = 0; i < wgmma_table_h200.size; ++i) {
        const WgmmaTuned* const r = wgmma_table_h200.rows + i;
        EXPECT_TRUE(i == 0 || r[-1].shape < r->shape) << i;
        EXPECT_EQ(wgmma_table_h200.find(r->shape, 132), i);
        EXPECT_EQ(wgmma_table_h200.find(r->shape, 114), wgmma_table_h200.size);
    }
}
/// Times are at most the rule's, and no multiply-add takes less than at the datasheet's 989 TFLOP/s of fp16.
TEST(WgmmaTableH200, TimesCanBeTrue) {
    for (std::size_t i = 0; i < wgmma_table_h200.size; ++i) {
        const WgmmaTuned& r = wgmma_table_h200.rows[i];
        EXPECT_LE(r.us, r.rule_us) << i;
        const WgmmaShape& s = r.shape;
        const double flop = 2.0 * static_cast<double>(s.batch * s.images * s.height * s.width * s.n) *
                            static_cast<double>(s.k * s.taps);
        EXPECT_GT(r.us, flop / 989e6) << i;
    }
}
/// No row is left to the rule for want of its tile.
TEST(WgmmaTableH200, HasTilesOfTheKernels) {
    for (std::size_t i = 0; i < wgmma_table_h200.size; ++i) {
        const WgmmaTuned& r = wgmma_table_h200.rows[i];
        const bool windows = r.shape.input == WgmmaInput::halo || r.shape.input == WgmmaInput::evaluated_halo;
        int kernels = 0;
        const auto count = [&](const auto& schedules) {
            for (const WgmmaSchedule& s : schedules)
                kernels += s.m == r.m && s.n == r.n && s.ping_pong == r.ping_pong && (!s.pairs || r.shape.pairs);
        };
        if (windows) count(wgmma_windows);
        else count(wgmma_boxes);
        EXPECT_EQ(kernels, 1) << i;
        EXPECT_EQ(r.shape.taps, windows ? 9 : r.shape.taps) << i;
        EXPECT_TRUE(r.parts == 1 || (!r.ping_pong && r.parts <= 8)) << i;  // blocks of a cluster that share a sum
    }
}

}  // namespace
