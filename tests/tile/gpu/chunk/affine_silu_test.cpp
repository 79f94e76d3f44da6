// SPDX-License-Identifier: Apache-2.0
#include <inlay/tile/gpu/chunk/affine_silu.hpp>

#include <gtest/gtest.h>

#include <inlay/expr/view/reshape.hpp>

#include <cmath>
#include <concepts>
#include <random>

namespace {

using namespace inlay;
using on_gpu::detail::Halved;
using X = Buf<0>;
using S = Reshape<Buf<1>, -1, 1, 1, 64>;
using T = Buf<2>;

template <class E, unsigned Copied>
using evaluated = typename Halved<E, Copied>::expression;

TEST(WgmmaHalves, WhichExpressions) {
    using affine = Silu<Add<Mul<X, S>, T>>;
    using of_half = on_gpu::detail::SiluOfHalf<Add<Mul<X, S>, T>>;
    EXPECT_TRUE((std::same_as<evaluated<affine, 1u>, of_half>));
    EXPECT_TRUE((Halved<affine, 1u>::vectors));
    // The other factor differs from element to element.
    EXPECT_TRUE((Halved<Silu<Add<Mul<S, X>, T>>, 2u>::vectors));
    // The summand differs, or two do: halving one of them is no use, and halving both factors is wrong.
    EXPECT_FALSE((Halved<affine, 4u>::vectors));
    EXPECT_FALSE((Halved<affine, 3u>::vectors));
    // Vectors that are computed, other functions, and values that are no sums.
    EXPECT_TRUE((std::same_as<evaluated<Silu<Add<Mul<X, Add<S, T>>, T>>, 1u>, Silu<Add<Mul<X, Add<S, T>>, T>>>));
    EXPECT_FALSE((Halved<Gelu<Add<Mul<X, S>, T>>, 1u>::vectors));
    EXPECT_FALSE((Halved<Silu<Mul<X, S>>, 1u>::vectors));
    EXPECT_FALSE((Halved<Silu<X>, 1u>::vectors));
    // One tensor in two places is one leaf: no vector is left to halve.
    EXPECT_FALSE((Halved<Silu<Add<Mul<X, X>, T>>, 1u>::vectors));
    EXPECT_FALSE((Halved<Silu<Add<Mul<X, S>, S>>, 1u>::vectors));
}
TEST(WgmmaHalves, TheSameToTheBit) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0.0f, 4.0f);
    for (int i = 0; i < 10000; ++i) {
        const float x = normal(random), s = normal(random), t = normal(random);
        const float whole = Silu<X>::apply_coarsely(std::fma(x, s, t)),
                    halves = on_gpu::detail::SiluOfHalf<X>::apply(std::fma(x, 0.5f * s, 0.5f * t));
        ASSERT_EQ(whole, halves) << x << " " << s << " " << t;
    }
}

}  // namespace
