// SPDX-License-Identifier: Apache-2.0
/// Vectors of channels that an evaluated input reads beside its source tiles: of all images or of each, of any storage
/// type, of channels that lie apart.
#include "products.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

template <class Scale, class Shift>
struct affine : Conv2D<Filter<3>, Silu<Add<Mul<Buf<0>, Scale>, Shift>>, Add<Out, Buf<3>>> {};
struct modulated : Linear<Add<Mul<Buf<0>, Slice<Buf<1>, -1, 0, 136>>, Slice<Buf<1>, -1, 136, 136>>, Out> {};
struct three : Linear<Mul<Add<Mul<Buf<0>, Buf<1>>, Buf<2>>, Buf<3>>, Out> {};

/// With one block of channels whole and one of 8, two images of a tile and one beside them, and rows of an image in
/// several tiles.
template <class Scale, class Shift, class A, class B>
void expect_affine(A scale_of_3, B shift_of_3, A scale_of_2, B shift_of_2) {
    WindowArrays<fp16> a{96};
    expect_schedule<affine<Scale, Shift>, With<0>, fp16>(1, a.images, a.w, a.small, scale_of_3, shift_of_3, a.b);
    expect_schedule<affine<Scale, Shift>, With<0>, fp16>(1, a.out, a.w, a.x, scale_of_2, shift_of_2, a.b);
}

TEST(WgmmaChannels, OfEachImage) {
    expect_affine<Buf<1>, Buf<2>>(normal<fp16>(5, 3, 1, 1, 72), normal<float>(6, 3, 1, 1, 72),
                                  normal<fp16>(5, 2, 1, 1, 72), normal<float>(6, 2, 1, 1, 72));
}
TEST(WgmmaChannels, OfAllImagesAndOfEach) {
    expect_affine<Buf<1>, Buf<2>>(normal<bf16>(5, 72), normal<fp16>(6, 3, 1, 1, 72), normal<bf16>(5, 72),
                                  normal<fp16>(6, 2, 1, 1, 72));
}
TEST(WgmmaChannels, NumbersOfAnImage) {
    expect_affine<Buf<1>, Buf<2>>(normal<float>(5, 3, 1, 1, 1), normal<fp16>(6, 1), normal<float>(5, 2, 1, 1, 1),
                                  normal<fp16>(6, 1));
}
TEST(WgmmaChannels, ThatLieApart) {
    using Apart = Slice<Permute<Buf<1>, 3, 1, 2, 0>, 0, 1, 1>;      // every second number
    expect_affine<Apart, Buf<2>>(normal<float>(5, 72, 1, 1, 2), normal<fp16>(6, 72), normal<float>(5, 72, 1, 1, 2),
                                 normal<fp16>(6, 72));
}
TEST(WgmmaChannels, TwoPlacesOfOne) {
    LinearArrays<fp16> a{96};
    auto both = normal<fp16>(5, 272);
    expect_schedule<modulated, With<1>, fp16>(1, a.out, a.w, a.x, both);
}
TEST(WgmmaChannels, ThreeOfThreeTypes) {
    LinearArrays<bf16> a{112};
    auto x = normal<float>(5, 136);
    auto y = normal<fp16>(6, 136);
    auto z = normal<bf16>(7, 136);
    expect_schedule<three, With<2>, bf16>(1, a.out, a.w, a.x, x, y, z);
}

}  // namespace
