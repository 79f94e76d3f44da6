// SPDX-License-Identifier: Apache-2.0
/// Inputs that are evaluated on the way to the matrix unit, once for all taps of a window: outside of the image there
/// are zeros, whatever the expression makes of zeros.
#include "products.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

struct pointwise : Linear<Silu<Buf<0>>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
/// Of two places of one tensor, with a vector of channels.
using Geglu = Mul<Slice<Buf<0>, -1, 0, 136>, Gelu<Mul<Slice<Buf<0>, -1, 136, 136>, Buf<1>>>>;
struct sum : Linear<Silu<Add<Buf<0>, Buf<1>>>, Add<Out, Buf<2>>> {};
struct geglu : Linear<Geglu, Add<Out, Buf<2>>> {};
struct pointwise_phases : UpsampledConv2D<Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct pointwise_filter : Conv2D<Filter<3>, Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct affine_upsampled : Conv2D<Filter<3>, Upsample2x<Silu<Add<Mul<Buf<0>, Buf<1>>, Buf<2>>>>, Add<Out, Buf<3>>> {};
struct affine_filter : Conv2D<Filter<3>, Silu<Add<Mul<Buf<0>, Buf<1>>, Buf<2>>>, Add<Out, Buf<3>>> {};

TEST(WgmmaEvaluate, Linears) {
    each_box([]<class T, int I>(index_t columns) {
        if constexpr (wgmma_boxes[I].groups == 2) {
            LinearArrays<T> a{columns};
            expect_schedule<pointwise, With<I>, T>(1, a.out, a.w, a.x, a.b, a.r);
        }
    });
}
TEST(WgmmaEvaluate, TwoTensors) {
    LinearArrays<fp16> a{96};
    auto x = normal<fp16>(5, 150, 136), vector = normal<fp16>(6, 1, 136);
    expect_schedule<sum, With<1>, fp16>(1, a.out, a.w, a.x, x, a.b);
    expect_schedule<sum, With<1>, fp16>(1, a.out, a.w, a.x, vector, a.b);
}
TEST(WgmmaEvaluate, TwoPlacesOfOneTensor) {
    each_box([]<class T, int I>(index_t columns) {
        if constexpr (wgmma_boxes[I].groups == 2) {
            LinearArrays<T> a{columns};
            auto x = normal<T>(5, 150, 272);
            auto scale = normal<float>(6, 136);
            for (const int parts : {1, 2})
                if (parts == 1 || wgmma_boxes[I].splits())
                    expect_schedule<geglu, With<I>, T>(parts, a.out, a.w, x, scale, a.b);
        }
    });
}
/// Images of which none fills a tile: what lies outside differs from tile to tile, and stays zeros from one block of
/// channels to the next.
TEST(WgmmaEvaluate, PixelsOutside) {
    const auto expect = []<int I>(index_t height, index_t width) {
        Array<fp16, 4> x = normal<fp16>(5, 3, height, width, 136), w = gaussian<fp16>(6, 0, 0.05, 32, 3, 3, 136);
        Array<fp16, 1> scale = normal<fp16>(7, 136), b = normal<fp16>(8, 32);
        Array<float, 1> shift = normal<float>(9, 136);
        expect_schedule<affine_filter, With<I>, fp16>(1, Extents<4>{{3, height, width, 32}}, w, x, scale, shift, b);
    };
    expect.operator()<2>(1, 2);
    expect.operator()<2>(8, 8);
    expect.operator()<2>(20, 33);
    expect.operator()<0>(3, 18);
    expect.operator()<3>(17, 5);
}
TEST(WgmmaEvaluate, Windows) {
    WindowArrays<fp16> a{88}, b{96};
    expect_schedule<pointwise_filter, With<0>, fp16>(1, a.out, a.w, a.x, a.b);
    expect_schedule<pointwise_filter, With<2>, fp16>(2, b.images, b.w, b.small, b.b);
    expect_schedule<pointwise_phases, With<0>, fp16>(1, a.doubled, a.of_phases, a.x, a.b);
    expect_schedule<pointwise_phases, With<2>, fp16>(2, b.twice, b.of_phases, b.small, b.b);
    expect_schedule<pointwise_phases, With<3>, fp16>(1, a.doubled, a.of_phases, a.x, a.b);
    expect_schedule<pointwise_filter, With<3>, fp16>(1, a.out, a.w, a.x, a.b);
}
TEST(WgmmaEvaluate, PadsBehindTheExpression) {
    WindowArrays<fp16> a{96};
    auto scale = normal<fp16>(5, 72);
    auto shift = normal<float>(6, 72);
    expect_schedule<affine_filter, With<1>, fp16>(2, a.out, a.w, a.x, scale, shift, a.b);
}
TEST(WgmmaEvaluate, Upsample) {
    WindowArrays<fp16> a{96};
    auto x = normal<fp16>(5, 2, 9, 13, 72);
    auto scale = normal<fp16>(6, 72);
    auto shift = normal<float>(7, 72);
    const Extents<4> out{{2, 18, 26, 96}};
    expect_schedule<affine_upsampled, With<0>, fp16>(1, out, a.w, x, scale, shift, a.b);
    expect_schedule<affine_upsampled, With<1>, fp16>(1, out, a.w, x, scale, shift, a.b);
    expect_schedule<affine_upsampled, With<2>, fp16>(2, a.twice, a.w, a.small, scale, shift, a.b);
    expect_schedule<affine_upsampled, With<3>, fp16>(1, out, a.w, x, scale, shift, a.b);
}

}  // namespace
