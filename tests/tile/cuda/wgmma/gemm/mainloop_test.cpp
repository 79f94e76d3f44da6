// SPDX-License-Identifier: Apache-2.0
/// Every schedule of sm_90a's tables, at sizes that an emulator can take: weights in an order of their own or not, and
/// windows with and without halo tiles, of large images and several small ones.
#include "products.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(WgmmaMainloop, Linears) {
    each_box([]<class T, int I>(index_t columns) {
        LinearArrays<T> a{columns};
        expect_schedule<plain, With<I>, T>(1, a.out, a.w, a.x, a.b, a.r);
    });
}
/// A block of one warpgroup: no more rows than it has, fewer, more than all of them share evenly, sums of few steps.
TEST(WgmmaMainloop, HalvesOfTiles) {
    for (const index_t rows : {9, 64, 65, 200}) {
        SCOPED_TRACE(std::to_string(rows) + " rows");
        auto x = normal<fp16>(1, rows, 328), w = gaussian<fp16>(2, 0, 0.08, 176, 328), r = normal<fp16>(4, rows, 176);
        auto b = normal<fp16>(3, 176);
        for (const int parts : {1, 2, 5}) {
            expect_schedule<plain, With<3>, fp16>(parts, Extents<2>{{rows, 176}}, w, x, b, r);
            expect_schedule<plain, With<4>, fp16>(parts, Extents<2>{{rows, 176}}, w, x, b, r);
        }
    }
}
TEST(WgmmaMainloop, Windows) {
    WindowArrays<fp16> a{88}, b{96};
    expect_schedule<filter, With<0>, fp16>(1, a.out, a.w, a.x, a.b);
    expect_schedule<filter, With<1>, fp16>(1, b.images, b.w, b.small, b.b);
    expect_schedule<filter, With<2>, fp16>(5, b.out, b.w, b.x, b.b);
    expect_schedule<filter, With<3>, fp16>(1, a.out, a.w, a.x, a.b);
    expect_schedule<filter, With<3>, fp16>(1, b.images, b.w, b.small, b.b);
}
/// Those of an upsampled image, by the phases of its pixels.
TEST(WgmmaMainloop, Phases) {
    WindowArrays<fp16> a{88}, b{96};
    expect_schedule<phases, With<0>, fp16>(1, a.doubled, a.of_phases, a.x, a.b);
    expect_schedule<phases, With<1>, fp16>(1, b.twice, b.of_phases, b.small, b.b);
    expect_schedule<phases, With<2>, fp16>(3, b.doubled, b.of_phases, b.x, b.b);
    expect_schedule<phases, With<3>, fp16>(1, a.doubled, a.of_phases, a.x, a.b);
    expect_schedule<phases, With<3>, fp16>(1, b.twice, b.of_phases, b.small, b.b);
}

}  // namespace
