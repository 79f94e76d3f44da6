// SPDX-License-Identifier: Apache-2.0
/// Every schedule of sm_90a's tables, at sizes that an emulator can take: weights in an order of their own or not, and
/// windows with and without halo tiles, of large images and several small ones.
#include "hopper_products.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(HopperProduct, Linears) {
    each_box([]<class T, int I>(index_t columns) {
        LinearArrays<T> a{columns};
        expect_schedule<plain, With<I>, T>(1, a.out, a.w, a.x, a.b, a.r);
    });
}
TEST(HopperProduct, Windows) {
    WindowArrays<half> a{88}, b{96};
    expect_schedule<filter, With<0>, half>(1, a.out, a.w, a.x, a.b);
    expect_schedule<filter, With<1>, half>(1, b.images, b.w, b.small, b.b);
    expect_schedule<filter, With<2>, half>(5, b.out, b.w, b.x, b.b);
}

}  // namespace
