// SPDX-License-Identifier: Apache-2.0
/// The tensor of an input that the copy engine of sm_90a maps: of upsampled pixels, those that they come from.
#include <report/launches.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

using X = Buf<0>;
template <class In>
struct conv : Conv2D<Filter<3>, In> {};

// An upsampling by 2 of both axes of pixels, however they are numbered; no other.
template <class E>
constexpr int shift = detail::below_upsample<E>::shift;
static_assert(shift<X> == 0 && shift<Upsample2x<X>> == 1 && shift<Upsample<X, 2, 1, 2>> == 1);
static_assert(shift<Upsample<X, 3, -3, -2>> == 0 && shift<Upsample<X, 2, -2, -1>> == 0);
static_assert(std::is_same_v<detail::below_upsample<Upsample2x<Silu<X>>>::type, Silu<X>>);

TEST(WgmmaOperand, UpsampledPixelsAreThoseThatTheyComeFrom) {
    const auto x = shape(2, 20, 12, 64), w = shape(320, 3, 3, 64);
    const WgmmaGrid plain = of<conv<X>>(shape(2, 20, 12, 320), w, x).gemm.wgmma,
                     twice = of<conv<Upsample2x<X>>>(shape(2, 40, 24, 320), w, x).gemm.wgmma,
                     evaluated = of<conv<Upsample2x<Silu<X>>>>(shape(2, 40, 24, 320), w, x).gemm.wgmma;
    EXPECT_EQ(plain.rows.shift, 0);
    for (const WgmmaGrid& work : {twice, evaluated}) {
        EXPECT_STREQ(work.refused, nullptr);
        EXPECT_EQ(work.rows.shift, 1);
        EXPECT_EQ(work.rows.height, 40);
        EXPECT_EQ(work.rows.width, 24);
        EXPECT_EQ(work.rows.in_height, plain.rows.in_height);
        EXPECT_EQ(work.rows.in_width, plain.rows.in_width);
    }
    EXPECT_FALSE(twice.evaluates);
    EXPECT_TRUE(evaluated.evaluates);
}

}  // namespace
