// SPDX-License-Identifier: Apache-2.0
#include <inlay/inlay.hpp>
#include <inlay/rewrite/frame_of.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace {

using namespace inlay;
using rules::frame_of;

using Bias = Add<Out, Buf<1>>;
using Twice = Mul<Buf<0>, Const<2.0>>;

struct linear : Linear<Twice, Bias, Store<0>> {};
struct tiled : Linear<Buf<0>, Out, Store<0>, Tiled<64, 128, 32>> {};
struct conv : Conv2D<Filter<3>, Silu<Buf<0>>, Bias> {};
struct layer_norm : LayerNorm<Buf<0>, Out, Store<0>, 1e-6> {};
struct group_norm : GroupNorm<32, Twice, Silu<Out>> {};
struct of_a_kernel : linear {};
/// Frames without any default.
using EveryHoleOfConv = Conv2D<Filter<3>, Silu<Buf<0>>, Bias, Store<1>, Tiled<64, 128, 32>>;
using EveryHoleOfNorm = LayerNorm<Buf<0>, Out, Store<1>, 1e-6, Tiled<64, 128, 32>>;
using EveryHoleOfGroups = GroupNorm<32, Twice, Out, Store<1>, 1e-6, Tiled<64, 128, 32>>;

template <class K, class Frame>
constexpr bool derives = std::is_same_v<frame_of<K>, Frame>;

TEST(FrameOf, IsTheBaseOfAKernelWithItsHoles) {
    EXPECT_TRUE((derives<linear, Linear<Twice, Bias, Store<0>>>));
    EXPECT_TRUE((derives<tiled, Linear<Buf<0>, Out, Store<0>, Tiled<64, 128, 32>>>));
    EXPECT_TRUE((derives<conv, Conv2D<Filter<3>, Silu<Buf<0>>, Bias>>));
    EXPECT_TRUE((derives<layer_norm, LayerNorm<Buf<0>, Out, Store<0>, 1e-6>>));
    EXPECT_TRUE((derives<group_norm, GroupNorm<32, Twice, Silu<Out>>>));
}
TEST(FrameOf, IsThatOfAFrameItselfAndOfWhatDerivesFromAKernel) {
    EXPECT_TRUE((derives<Linear<Twice, Bias>, Linear<Twice, Bias>>));
    EXPECT_TRUE((derives<of_a_kernel, Linear<Twice, Bias, Store<0>>>));
    EXPECT_TRUE((derives<EveryHoleOfConv, EveryHoleOfConv>));
    EXPECT_TRUE((derives<EveryHoleOfNorm, EveryHoleOfNorm>));
    EXPECT_TRUE((derives<EveryHoleOfGroups, EveryHoleOfGroups>));
}

}  // namespace
