// SPDX-License-Identifier: Apache-2.0
#include "decisions.hpp"

#include <inlay/inlay.hpp>
#include <inlay/report/explain.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace inlay;
using namespace inlay_test;

GemmEngine engine(const GemmProblem& p) { return decide(p, sm80_target).engine; }
std::string chosen(index_t batch, index_t m, index_t n, index_t k) {
    GemmProblem p = product(m, n, k);
    p.shape.batch = batch;
    return std::string(text(decide(p, sm80_target)));
}

TEST(Schedules, LargeProductsTakeLargeTiles) {
    EXPECT_EQ(chosen(1, 8192, 2560, 320), "128x128x64, 3 stages, 4 warps (tuned on an H200)");
    EXPECT_EQ(chosen(1, 2048, 640, 640), "64x64x64, 4 stages, 4 warps (tuned on an H200)");
}
TEST(Schedules, WhatDoesNotFillTheMachineTakesSmallTilesThenSplitsK) {
    EXPECT_EQ(chosen(1, 512, 1280, 1280), "64x64x64, 4 stages, 4 warps (tuned on an H200)");
    EXPECT_EQ(chosen(1, 128, 1280, 11520), "64x64x64, 4 stages, 4 warps, split-K 5 (tuned on an H200)");
    EXPECT_EQ(chosen(1, 9, 320, 320), "64x64x64, 4 stages, 4 warps (tuned on an H200)");  // K is not worth a split
    EXPECT_EQ(chosen(1, 16, 1, 1 << 20), "64x64x64, 4 stages, 4 warps, split-K 16 (tuned on an H200)");
}
TEST(Schedules, FewRowsStreamTheWeights) {
    EXPECT_EQ(chosen(1, 1, 320, 320),
              "rows of weights streamed once (tuned on an H200 for rows in 16 bits that are copied)");
    EXPECT_EQ(engine(product(gemv_rows, 320, 320)), GemmEngine::gemv);
    EXPECT_EQ(engine(product(gemv_rows + 1, 320, 320)), GemmEngine::mma);
}
TEST(Schedules, ShortSegmentsAreGathered) {
    const auto of = [](index_t channels, DType t) {
        return decide(product(8192, 320, 9 * channels, t, 9), sm80_target);
    };
    EXPECT_EQ(text(of(4, DType::f16)), "64x160x64, 8 warps, many segments a step (by rule, not measured)");
    EXPECT_EQ(of(16, DType::f16).engine, GemmEngine::gather);
    EXPECT_EQ(of(17, DType::f16).engine, GemmEngine::mma);
    EXPECT_EQ(of(8, DType::f32).engine, GemmEngine::gather);
    EXPECT_EQ(of(9, DType::f32).engine, GemmEngine::mma);
    EXPECT_EQ(engine(product(8192, 320, 4)), GemmEngine::mma);  // a linear layer has one segment
}
TEST(Schedules, EmptyProductsHaveOneToo) { EXPECT_EQ(decide(product(0, 0, 0), sm80_target).split_k(), 1); }

TEST(Schedules, AKernelCompilesAtMostThree) {
    EXPECT_LE(std::size(mma_matrix), 3u);
    EXPECT_LE(std::size(mma_matrix_fp32), 3u);
    EXPECT_LE(std::size(mma_evaluated), 3u);
    for (const Schedule& s : mma_matrix) EXPECT_NE(std::string_view(s.found), "");
}
/// Its tiles are those of the other table, which are tested one by one; times are its own.
TEST(Schedules, WhatIsEvaluatedTakesBroadTilesOfTheTable) {
    for (const Schedule& s : mma_evaluated) {
        const auto same = [&](const Schedule& o) {
            return o.m == s.m && o.n == s.n && o.k == s.k && o.stages == s.stages && o.warps == s.warps;
        };
        EXPECT_TRUE(std::any_of(std::begin(mma_matrix), std::end(mma_matrix), same)) << s.m << "x" << s.n;
    }
    const auto evaluated = [](index_t m, index_t n, index_t k) {
        return text(decide(product(m, n, k, DType::f16, 1, true, true), sm90_target));
    };
    EXPECT_EQ(evaluated(8192, 1280, 1280), "64x160x64, 3 stages, 4 warps (tuned on an H200)");
    EXPECT_EQ(evaluated(512, 1280, 11520), "64x160x64, 3 stages, 4 warps, split-K 4 (tuned on an H200)");
    EXPECT_EQ(evaluated(9, 64, 64), "64x64x64, 4 stages, 4 warps (tuned on an H200)");
}

TEST(Schedules, TheHostsIsTheOneItsKernelsHave) {
    EXPECT_EQ(host_matrix.n, on_host::host_panel);
    EXPECT_EQ(host_winograd.m, on_host::WinogradPlan<3>::block_limit);
    EXPECT_EQ(host_winograd.n, on_host::host_panel);
    EXPECT_EQ(host_winograd.k, on_host::WinogradPlan<3>::depth_limit);
    EXPECT_EQ(host_target.vector_bytes / host_target.element_bytes, host_lanes);
}

TEST(Schedules, TheUsersOwnWins) {
    struct tiled : Linear<Buf<0>, Out, Store<0>, Tiled<64, 128, 32, 4, 2>> {};
    const auto t = [](auto... e) { return tensor<fp16>(nullptr, e...); };
    const std::string s =
        explain(describe<tiled>(prepare<tiled>(t(8192, 320), t(320, 320), t(8192, 320))), sm80_target);
    EXPECT_NE(s.find("  schedule  Tiled<64, 128, 32, 4, 2> (the user's)\n"), s.npos) << s;
}

}  // namespace
