// SPDX-License-Identifier: Apache-2.0
/// Products of a few rows that stream their weights, and their line of `explain`.
#include "decisions.hpp"

#include <report/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

struct plain : Linear<> {};
struct sliced : Linear<Slice<Buf<0>, -1, 8, 128>> {};
struct sliced_unevenly : Linear<Slice<Buf<0>, -1, 4, 128>> {};
struct swapped : Linear<Transpose<Buf<0>, -1, -2>> {};
struct silu_input : Linear<Silu<Buf<0>>> {};
struct rounded_input : Linear<Cast<Buf<0>, fp16>> {};
template <class Win, class In = Buf<0>>
struct conv : Conv2D<Win, In> {};

bool streams(const KernelReport& l, const TargetInfo& t = sm80_target) {
    return line("schedule", l, t) == std::string(text(decide(product(1, 8, 8), t)));
}
std::string tiles(index_t m, index_t n, index_t k, DType t = DType::f16, index_t segments = 1) {
    return std::string(text(decide(product(m, n, k, t, segments, false), sm80_target)));
}

TEST(FewRows, WholeChunksAreCopied) {
    const auto y = shape(8, 320), w = shape(320, 128);
    EXPECT_TRUE(streams(of<plain>(y, w, shape(8, 128))));
    EXPECT_TRUE(streams(of<sliced>(y, w, shape(8, 144))));
    EXPECT_TRUE(streams(of<plain>(y, w, Tensor<fp16, 2>(nullptr, {{8, 128}}, {{136, 1}}))));
    EXPECT_TRUE(streams(of<plain>(shape<float>(8, 320), shape<float>(320, 132), shape<float>(8, 132))));
    EXPECT_TRUE(streams(of<conv<Filter<1>>>(shape(1, 2, 2, 320), shape(320, 1, 1, 128), shape(1, 2, 2, 128))));
}
TEST(FewRows, TilesTakeWhatIsUneven) {
    const auto y = shape(8, 320), w = shape(320, 128);
    const std::string tiled = tiles(8, 320, 128);
    const auto schedule = [](const KernelReport& l) { return line("schedule", l, sm80_target); };
    EXPECT_EQ(schedule(of<plain>(y, shape(320, 132), shape(8, 132))), tiles(8, 320, 132));
    EXPECT_EQ(schedule(of<sliced_unevenly>(y, w, shape(8, 136))), tiled);
    EXPECT_EQ(schedule(of<swapped>(y, w, shape(128, 8))), tiled);
    EXPECT_EQ(schedule(of<plain>(y, w, Tensor<fp16, 2>(nullptr, {{8, 128}}, {{132, 1}}))), tiled);
    EXPECT_EQ(schedule(of<plain>(y, w, Tensor<fp16, 2>(reinterpret_cast<fp16*>(264), {{8, 128}}))), tiled);
    const Tensor<fp16, 2> displaced(reinterpret_cast<fp16*>(264), {{320, 128}});
    EXPECT_EQ(schedule(of<plain>(y, displaced, shape(8, 128))), tiled);
}
TEST(FewRows, TilesTakeTheSegmentsOfWindows) {
    const auto y = shape(1, 2, 2, 320), w = shape(320, 3, 3, 128), x = shape(1, 2, 2, 128);
    const std::string tiled = tiles(4, 320, 9 * 128, DType::f16, 9);
    EXPECT_EQ(line("schedule", of<conv<Filter<3>>>(y, w, x), sm80_target), tiled);
    EXPECT_EQ(line("schedule", of<conv<Filter<3>, Silu<Buf<0>>>>(y, w, x), sm80_target), tiled);
}
/// On sm_90a the one portable tile that is compiled beside the engine's.
TEST(FewRows, TilesOfTheHopperImage) {
    EXPECT_EQ(line("schedule", of<plain>(shape(8, 320), shape(320, 132), shape(8, 132))),
              fallback(8, 320, 132));
}
TEST(FewRows, WhatIsEvaluatedMayLieAnyhow) {
    EXPECT_TRUE(streams(of<silu_input>(shape(8, 320), shape(320, 128), shape(8, 128))));
    EXPECT_TRUE(streams(of<silu_input>(shape(8, 320), shape(320, 77), shape(8, 77))));
    // A tensor of another type is converted, which is no copy.
    EXPECT_TRUE(streams(of<rounded_input>(shape(8, 320), shape(320, 77), shape<float>(8, 77))));
}

}  // namespace
