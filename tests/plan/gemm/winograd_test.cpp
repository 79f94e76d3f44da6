// SPDX-License-Identifier: Apache-2.0
/// The host's choice of filtered convolutions, by numbers and as `explain` prints it.
#include "decisions.hpp"

#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/upsampled_conv2d.hpp>
#include <inlay/inlay.hpp>
#include <inlay/report/describe.hpp>
#include <inlay/report/explain.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using namespace inlay;
using namespace inlay_test;

constexpr GemmProblem convolution(const WindowFacts& w, index_t batch, index_t channels, index_t columns,
                                  DType dtype = DType::f32) {
    GemmProblem p = product(batch * w.height * w.width, columns, w.rows * w.cols * channels, dtype, w.rows * w.cols);
    p.window = w;
    return p;
}
constexpr WindowFacts taps(int n, index_t height, index_t width, int stride = 1, int dilation = 1, int groups = 1) {
    return {n, n, stride, dilation, groups, height, width};
}
constexpr bool filters(const GemmProblem& p) { return decide(p, host_target).engine == GemmEngine::winograd; }

static_assert(filters(convolution(taps(3, 4, 4), 1, 4, 4)));
static_assert(filters(convolution(taps(3, 256, 31), 2, 320, 4)));
static_assert(filters(convolution(taps(2, 8, 8), 1, 1280, 1280)));
static_assert(!filters(product(4096, 320, 320, DType::f32)));
// One rule for every batch: an image's bits are those it has alone.
static_assert(!filters(convolution(taps(3, 3, 64), 1, 64, 64)) && !filters(convolution(taps(3, 3, 64), 64, 64, 64)));

TEST(DecideWinograd, SaysWhyNot) {
    const auto why = [](const GemmProblem& p) {
        const GemmDecision d = decide(p, host_target);
        EXPECT_EQ(d.engine, GemmEngine::host);
        EXPECT_EQ(d.why(GemmEngine::host), nullptr);
        return std::string_view(d.why(GemmEngine::winograd));
    };
    EXPECT_EQ(why(product(64, 64, 64, DType::f32)), "it is no convolution");
    EXPECT_EQ(why(convolution(taps(1, 8, 8), 1, 64, 64)), "its window is neither 3x3 nor 2x2");
    EXPECT_EQ(why(convolution(taps(5, 8, 8), 1, 64, 64)), "its window is neither 3x3 nor 2x2");
    EXPECT_EQ(why(convolution(taps(3, 8, 8, 2), 1, 64, 64)), "its stride, dilation or groups are not 1");
    EXPECT_EQ(why(convolution(taps(3, 8, 8, 1, 2), 1, 64, 64)), "its stride, dilation or groups are not 1");
    EXPECT_EQ(why(convolution(taps(3, 8, 8, 1, 1, 4), 1, 64, 64)), "its stride, dilation or groups are not 1");
    EXPECT_EQ(why(convolution(taps(3, 8, 8), 1, 64, 64, DType::bf16)), "its weights are not fp32");
    EXPECT_EQ(why(convolution(taps(3, 8, 8), 0, 64, 64)), "its result has no elements");
    EXPECT_EQ(why(convolution(taps(3, 3, 8), 1, 64, 64)), "its image is below 4x4 pixels");
    EXPECT_EQ(why(convolution(taps(2, 8, 7), 1, 64, 64)), "its image is below 8x8 pixels");
    EXPECT_EQ(why(convolution(taps(3, 8, 8), 1, 3, 64)), "it has fewer than 4 channels on a side");
    EXPECT_EQ(why(convolution(taps(3, 8, 8), 1, 64, 3)), "it has fewer than 4 channels on a side");
    GemmProblem mixed = convolution(taps(3, 8, 8), 1, 64, 64);
    mixed.converts = true;
    EXPECT_EQ(why(mixed), "its weights are not fp32");
    for (const TargetInfo& t : known_targets) {
        if (t.name == host_target.name) continue;
        EXPECT_STREQ(decide(convolution(taps(3, 8, 8), 1, 64, 64), t).why(GemmEngine::winograd),
                     "the target is a GPU");
    }
}

TEST(DecideWinograd, ExplainNamesIt) {
    struct conv : Conv2D<Filter<3>> {};
    struct strided : Conv2D<Filter<3, 3, 2>> {};
    const auto t = [](auto... e) { return tensor<float>(nullptr, e...); };
    const auto schedule = [](const std::string& s) {
        const std::size_t from = s.find("  schedule  ") + 12;
        return s.substr(from, s.find('\n', from) - from);
    };
    EXPECT_EQ(schedule(explain(describe<conv>(prepare<conv>(t(2, 8, 8, 64), t(64, 3, 3, 32), t(2, 8, 8, 32))),
                               host_target)),
              "Winograd's 2x2 outputs a tile, " + std::to_string(host_winograd.m) + "x" +
                  std::to_string(host_winograd.n) + "x" + std::to_string(host_winograd.k) + " (measured on AVX-512)");
    EXPECT_EQ(schedule(explain(
                  describe<strided>(prepare<strided>(t(2, 4, 4, 64), t(64, 3, 3, 32), t(2, 8, 8, 32))), host_target)),
              "168x" + std::to_string(host_matrix.n) +
                  "x256 (measured on AVX-512); not Winograd's, as its stride, dilation or groups are not 1");
}

TEST(DecideWinograd, ShareOfProducts) {
    EXPECT_DOUBLE_EQ(winograd_share(taps(3, 8, 8)), 4. / 9);
    EXPECT_DOUBLE_EQ(winograd_share(taps(2, 8, 8)), 9. / 16);
}

}  // namespace
