// SPDX-License-Identifier: Apache-2.0
/// Sums in parts, which the blocks of a cluster exchange.
#include "hopper_products.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

struct sum : Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>> {};

TEST(HopperExchange, Parts) {
    each_box([]<class T, int I>(index_t columns) {
        LinearArrays<T> a{columns};
        for (const int parts : {2, 3}) expect_schedule<sum, With<I>, T>(parts, a.out, a.w, a.x, a.b, a.r);
    });
}

// A tile's rows and steps divide into neither; a part may have one step.
TEST(HopperExchange, AsManyPartsAsAClusterHasBlocks) {
    auto x = normal<half>(1, 150, 520), w = gaussian<half>(2, 0, 0.04, 112, 520), r = normal<half>(4, 150, 112);
    auto b = normal<half>(3, 112);
    for (const int parts : {5, 7, 8}) expect_schedule<sum, With<0>, half>(parts, Extents<2>{{150, 112}}, w, x, b, r);
}

}  // namespace
