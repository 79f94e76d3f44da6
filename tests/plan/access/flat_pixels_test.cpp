// SPDX-License-Identifier: Apache-2.0
/// Pixels by one number: where tensors are dense between the first and the last axis or the same for all pixels, and
/// expressions and sinks have views of the last axis alone.
#include <inlay/inlay.hpp>
#include <inlay/plan/access/flat_pixels.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

static_assert(flat_expression<Silu<Buf<0>>, 4> && flat_expression<Concat<-1, Buf<0>, Buf<1>>, 4>);
static_assert(!flat_expression<Concat<1, Buf<0>, Buf<1>>, 4> && !flat_expression<Permute<Buf<0>, 0, 2, 1, 3>, 4>);
static_assert(flat_sink<Store<0>> && !flat_sink<Permuted<Store<0>, 0, 2, 1, 3>>);

TEST(FlatPixels, TensorsAreDenseOrTheSameForAll) {
    const Extents<4> e{{2, 3, 5, 8}};
    const float x = 0;
    const auto of = [&](const Extents<4>& extents, const Extents<4>& strides) {
        return detail::flat_tensor(Tensor<const float, 4>{&x, extents, strides}, e);
    };
    EXPECT_TRUE(of(e, {{120, 40, 8, 1}}));
    EXPECT_TRUE(of(e, {{999, 40, 8, 1}})) << "images may lie anywhere";
    EXPECT_TRUE(of(e, {{150, 50, 10, 1}})) << "a slice of the channels";
    EXPECT_FALSE(of(e, {{150, 48, 8, 1}})) << "lines with a gap";
    EXPECT_FALSE(of(e, {{120, 8, 24, 1}})) << "columns before lines";
    EXPECT_TRUE(of({{2, 1, 1, 8}}, {{8, 8, 8, 1}})) << "a row for each image";
    EXPECT_FALSE(of({{2, 3, 1, 8}}, {{24, 8, 8, 1}})) << "a row for each line";
    EXPECT_TRUE(detail::flat_tensor(Tensor<const float, 1>{&x, {{8}}, {{1}}}, e)) << "a vector of channels";
}
TEST(FlatPixels, TheLastPixelAxisCountsAll) {
    EXPECT_TRUE(flat_extents(Extents<4>{{2, 3, 5, 8}}));
    EXPECT_TRUE(flat_extents(Extents<4>{{2, 1, 1, 8}}));
    EXPECT_FALSE(flat_extents(Extents<4>{{2, 3, 1, 8}})) << "the last is pinned to 0";
    EXPECT_TRUE(flat_extents(Extents<2>{{2, 8}}));
}

}  // namespace
