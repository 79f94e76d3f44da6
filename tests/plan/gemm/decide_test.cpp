// SPDX-License-Identifier: Apache-2.0
/// Decisions of matrix products: which engine, why not the others, what it costs.
#include "decisions.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace {

using namespace inlay;
using namespace inlay_test;

constexpr WgmmaGrid grid_of(index_t m, index_t n, index_t k) {
    WgmmaGrid w;
    w.m = m, w.n = n, w.k = k, w.steps = (k + 63) / 64;
    return w;
}

// Numbers alone decide at compile time.
static_assert(decide(product(512, 1280, 640), sm80_target).engine == GemmEngine::mma);
static_assert(decide(product(512, 1280, 640), sm80_target).cost_us > 0);
static_assert(decide(product(grid_of(512, 1280, 640)), sm90a_target).engine == GemmEngine::wgmma);

TEST(DecideGemm, TheFirstEngineThatTakesAProductRunsIt) {
    const GemmProblem large = product(grid_of(512, 1280, 640));
    EXPECT_EQ(decide(large, sm90a_target).engine, GemmEngine::wgmma);
    EXPECT_EQ(decide(large, sm90_target).engine, GemmEngine::mma);
    EXPECT_EQ(decide(large, host_target).engine, GemmEngine::host);
    GemmProblem refused = large;
    refused.wgmma.refused = "rows lie unevenly";
    EXPECT_EQ(decide(refused, sm90a_target).engine, GemmEngine::fallback);
    refused.shape.m = 8;
    EXPECT_EQ(decide(refused, sm90a_target).engine, GemmEngine::gemv);
    refused.gated = true;
    EXPECT_EQ(decide(refused, sm90a_target).engine, GemmEngine::fallback);
    EXPECT_EQ(decide(refused, sm80_target).engine, GemmEngine::mma);
    GemmProblem tiled = large;
    tiled.tiled = true;
    EXPECT_EQ(decide(tiled, sm90a_target).engine, GemmEngine::tiled);
    EXPECT_EQ(decide(product(8192, 320, 36, DType::f16, 9), sm80_target).engine, GemmEngine::gather);
}
TEST(DecideGemm, AMDsTilesAreThoseOfItsMatrixUnit) {
    for (const TargetInfo& t : {gfx90a_target, gfx942_target, gfx1100_target}) {
        const GemmEngine engine = t.matrix == MatrixUnit::mfma ? GemmEngine::mfma : GemmEngine::wmma;
        const GemmEngine other = t.matrix == MatrixUnit::mfma ? GemmEngine::wmma : GemmEngine::mfma;
        for (const DType type : {DType::f16, DType::bf16, DType::f32})
            for (const index_t m : {1, 77, 4096}) EXPECT_EQ(decide(product(m, 640, 640, type), t).engine, engine);
        EXPECT_EQ(decide(product(8192, 320, 36, DType::f16, 9), t).engine, GemmEngine::gather);
        const GemmDecision d = decide(product(1, 320, 320), t);
        EXPECT_STREQ(d.why(GemmEngine::gemv), "it streams weights into mma.sync");
        EXPECT_STREQ(d.why(GemmEngine::mma), "the target has no mma.sync");
        EXPECT_STREQ(d.why(other), t.matrix == MatrixUnit::mfma ? "the target has no v_wmma" : "the target has no v_mfma");
        EXPECT_EQ(d.choice.schedule.m, 32);
        EXPECT_GT(decide(product(1, 320, 2560), t).split_k(), 1);
        EXPECT_EQ(decide(product(8192, 1280, 1280), t).choice.schedule.m, 128);
    }
}
TEST(DecideGemm, SaysOfEveryOtherEngineWhyNot) {
    const WgmmaGrid w = grid_of(512, 1280, 640);
    for (const TargetInfo& t : known_targets)
        for (const GemmProblem& p : {product(w), product(1, 320, 320), product(8192, 320, 36, DType::f16, 9),
                                     product(64, 64, 64, DType::f32), product(4, 64, 63, DType::f16, 1, false)}) {
            const GemmDecision d = decide(p, t);
            for (int i = 0; i < gemm_engines; ++i)
                EXPECT_EQ(d.why_not[i] == nullptr, i == static_cast<int>(d.engine)) << t.name << ", engine " << i;
        }
    EXPECT_STREQ(decide(product(w), sm80_target).why(GemmEngine::wgmma), "the target has no code for sm_90a");
    EXPECT_STREQ(decide(product(9, 320, 320), sm80_target).why(GemmEngine::gemv), "it has more than 8 rows");
    EXPECT_STREQ(decide(product(4, 64, 63, DType::f16, 1, false), sm80_target).why(GemmEngine::gemv),
                 "rows or weights are not whole chunks of 16 bytes");
    EXPECT_STREQ(decide(product(64, 64, 64), sm80_target).why(GemmEngine::gather), "its sum is one segment");
}
TEST(DecideGemm, KernelsBefore) {
    GemmProblem mixed = product(512, 1280, 640, DType::f32);
    const double alone = decide(mixed, sm80_target).cost_us;
    mixed.converts = true;
    const GemmDecision d = decide(mixed, sm80_target);
    EXPECT_EQ(d.before, GemmBefore::converts_weights);
    EXPECT_GT(d.cost_us, alone);
    EXPECT_EQ(decide(mixed, host_target).before, GemmBefore::none);

    WgmmaGrid evaluated = grid_of(512, 1280, 1280);
    evaluated.evaluates = true;
    const GemmDecision first = decide(product(evaluated), sm90a_target);
    EXPECT_EQ(first.before, GemmBefore::evaluates_input);
    EXPECT_GT(first.cost_us, decide(product(evaluated_before(evaluated)), sm90a_target).cost_us);
    EXPECT_LT(first.cost_us, wgmma_microseconds(choose_wgmma(evaluated, sm90a_target.units)));
}
/// Of every engine that has a price, over sizes that double along each axis; by rules alone, since what a table has
/// measured may be faster than what the rule expects of half of it.
TEST(DecideGemm, CostsArePositiveAndGrowWithTheProduct) {
    TargetInfo no_table = sm90a_target;
    no_table.units = 128;
    for (const TargetInfo& t : {sm80_target, sm90_target, no_table, gfx90a_target, gfx942_target, gfx1100_target})
        for (const DType type : {DType::f16, DType::f32})
            for (const index_t m : {1, 4, 64, 512, 4096})
                for (const index_t n : {64, 640, 5120})
                    for (const index_t k : {64, 640, 5120})
                        for (const bool by_wgmma : {false, true}) {
                            const auto cost = [&](index_t rows, index_t columns, index_t sum) {
                                return decide(by_wgmma ? product(grid_of(rows, columns, sum))
                                                       : product(rows, columns, sum, type),
                                              t)
                                    .cost_us;
                            };
                            const double us = cost(m, n, k);
                            EXPECT_GT(us, 0);
                            if (m == 4) continue;   // twice as many rows have another engine
                            for (const double more : {cost(2 * m, n, k), cost(m, 2 * n, k), cost(m, n, 2 * k)})
                                EXPECT_GE(more, 0.99 * us)
                                    << t.name << " " << m << "x" << n << "x" << k << " " << by_wgmma;
                        }
}
TEST(DecideGemm, ACostIsThatOfTheScheduleThatRuns) {
    const GemmDecision d = decide(product(2048, 640, 640), sm80_target);
    for (const Schedule& s : mma_matrix) {
        const index_t tiles = (2048 + s.m - 1) / s.m * ((640 + s.n - 1) / s.n);
        EXPECT_LE(d.cost_us, detail::matrix_us(s, tiles, 640 / s.k, 1, sm80_target.units));
    }
    EXPECT_EQ(d.cost_us, d.choice.us);
    // As measured: 512x1280x1280 of fp16 on an H200.
    EXPECT_EQ(decide(product(grid_of(512, 1280, 1280)), sm90a_target).cost_us, 4.82);
    EXPECT_EQ(decide(product(2048, 640, 640), host_target).cost_us, 0);   // its rates are the machine's own
}

}  // namespace
