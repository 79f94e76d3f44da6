// SPDX-License-Identifier: Apache-2.0
/// What the copy engine brings besides plain rows and windows: pieces side by side, windows of images whose pixels
/// stand twice, and those that leave out pixels.
#include "hopper_products.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

struct joined : Linear<Concat<-1, Buf<0>, Buf<1>>> {};
struct upsampled : Conv2D<Window<3>, Upsample2x<Buf<0>>, Add<Out, Buf<1>>> {};
struct strided : Conv2D<Window<3, 3, 2, 1>, Buf<0>, Add<Out, Buf<1>>> {};

TEST(HopperLoad, Concat) {
    each_box([]<class T, int I>(index_t columns) {
        LinearArrays<T> a{columns};
        auto left = normal<T>(5, 150, 64), right = normal<T>(6, 150, 72);
        expect_schedule<joined, With<I>, T>(1, a.out, a.w, left, right);
    });
}
TEST(HopperLoad, Upsample) {
    WindowArrays<half> a{96};
    expect_schedule<upsampled, With<1>, half>(1, a.twice, a.w, a.small, a.b);
}
TEST(HopperLoad, StridedWindows) {
    WindowArrays<half> a{88};
    expect_schedule<strided, With<1>, half>(1, Extents<4>{{2, 5, 9, 88}}, a.w, a.x, a.b);
    expect_schedule<strided, With<3>, half>(1, Extents<4>{{2, 5, 9, 88}}, a.w, a.x, a.b);
    expect_schedule<strided, With<4>, half>(3, Extents<4>{{2, 5, 9, 88}}, a.w, a.x, a.b);
}

}  // namespace
