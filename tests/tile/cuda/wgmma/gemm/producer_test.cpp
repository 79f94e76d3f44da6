// SPDX-License-Identifier: Apache-2.0
/// Copies of the copy engine besides plain rows and windows: pieces side by side, windows of images whose pixels stand
/// twice each way, and those that leave out pixels.
#include "products.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

struct joined : Linear<Concat<-1, Buf<0>, Buf<1>>> {};
struct upsampled : Conv2D<Filter<3>, Upsample2x<Buf<0>>, Add<Out, Buf<1>>> {};
template <int Before>
struct padded : Conv2D<Filter<3, 3, 1, Before, 1>, Upsample2x<Buf<0>>, Add<Out, Buf<1>>> {};
struct joined_upsampled : Conv2D<Filter<3>, Upsample2x<Concat<-1, Buf<0>, Buf<1>>>, Add<Out, Buf<2>>> {};
struct strided : Conv2D<Filter<3, 3, 2, 1>, Buf<0>, Add<Out, Buf<1>>> {};
struct joined_strided : Conv2D<Filter<3, 3, 2, 1>, Concat<-1, Buf<0>, Buf<1>>, Add<Out, Buf<2>>> {};

TEST(WgmmaLoad, Concat) {
    each_box([]<class T, int I>(index_t columns) {
        LinearArrays<T> a{columns};
        auto left = normal<T>(5, 150, 64), right = normal<T>(6, 150, 72);
        expect_schedule<joined, With<I>, T>(1, a.out, a.w, left, right);
    });
}
TEST(WgmmaLoad, Upsample) {
    WindowArrays<fp16> a{96};
    auto x = normal<fp16>(5, 2, 9, 13, 72);
    const Extents<4> out{{2, 18, 26, 96}};
    const auto with = [&]<int I>(int parts) {
        expect_schedule<upsampled, With<I>, fp16>(parts, a.twice, a.w, a.small, a.b);
        expect_schedule<upsampled, With<I>, fp16>(parts, out, a.w, x, a.b);
    };
    with.operator()<0>(1);
    with.operator()<1>(1);
    with.operator()<2>(2);
}
// Windows that begin with the first pixel, in the middle of two, or with zeros.
TEST(WgmmaLoad, UpsampleUnderOtherPads) {
    WindowArrays<fp16> a{96};
    expect_schedule<padded<0>, With<0>, fp16>(1, Extents<4>{{3, 9, 13, 96}}, a.w, a.small, a.b);
    expect_schedule<padded<0>, With<1>, fp16>(1, Extents<4>{{3, 9, 13, 96}}, a.w, a.small, a.b);
    expect_schedule<padded<2>, With<0>, fp16>(1, Extents<4>{{3, 11, 15, 96}}, a.w, a.small, a.b);
    expect_schedule<padded<2>, With<1>, fp16>(1, Extents<4>{{3, 11, 15, 96}}, a.w, a.small, a.b);
}
TEST(WgmmaLoad, UpsampleOfAConcat) {
    auto left = normal<fp16>(5, 2, 9, 5, 64), right = normal<fp16>(6, 2, 9, 5, 24);
    auto b = normal<fp16>(7, 80);
    auto w = gaussian<fp16>(8, 0, 0.05, 80, 3, 3, 88);
    expect_schedule<joined_upsampled, With<2>, fp16>(1, Extents<4>{{2, 18, 10, 80}}, w, left, right, b);
}
TEST(WgmmaLoad, StridedWindows) {
    WindowArrays<fp16> a{88};
    expect_schedule<strided, With<1>, fp16>(1, Extents<4>{{2, 5, 9, 88}}, a.w, a.x, a.b);
    expect_schedule<strided, With<3>, fp16>(1, Extents<4>{{2, 5, 9, 88}}, a.w, a.x, a.b);
    expect_schedule<strided, With<4>, fp16>(3, Extents<4>{{2, 5, 9, 88}}, a.w, a.x, a.b);
}
// A run of copies ends where a piece, a tap, a part or a tile does.
TEST(WgmmaLoad, PiecesAndTapsInParts) {
    auto left = normal<fp16>(5, 150, 192), right = normal<fp16>(6, 150, 136);
    auto w = gaussian<fp16>(7, 0, 0.05, 176, 328);
    for (const int parts : {1, 2, 4, 5})
        expect_schedule<joined, With<4>, fp16>(parts, Extents<2>{{150, 176}}, w, left, right);
    auto first = normal<fp16>(8, 2, 9, 18, 64), second = normal<fp16>(9, 2, 9, 18, 72);
    auto b = normal<fp16>(10, 88);
    auto filters = gaussian<fp16>(11, 0, 0.05, 88, 3, 3, 136);
    for (const int parts : {1, 2, 4, 7})
        expect_schedule<joined_strided, With<4>, fp16>(parts, Extents<4>{{2, 5, 9, 88}}, filters, first, second, b);
}

}  // namespace
