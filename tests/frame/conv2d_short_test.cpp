// SPDX-License-Identifier: Apache-2.0
/// Convolutions over a few channels, whose taps a step of the product holds several of.
#include "check.hpp"

#include <inlay/frame/conv2d.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

struct biased : Conv2D<Filter<3>, Buf<0>, Add<Out, Buf<1>>> {};
struct grouped : Conv2D<Filter<3, 3, 2, 1, 1, 1, 2>, Add<Buf<0>, Param<0>>, Silu<Add<Out, Buf<1>>>,
                        Permuted<Store<0>, 0, 3, 1, 2>> {};
struct joined : Conv2D<Filter<3>, Concat<-1, Buf<0>, Buf<1>>> {};

template <class T>
struct Conv2DShortTest : ::testing::Test {};
TYPED_TEST_SUITE(Conv2DShortTest, StorageTypes, StorageNames);

TYPED_TEST(Conv2DShortTest, AnyFewChannels) {
    for (const auto& [c, o] : {std::pair<index_t, index_t>{1, 70}, {3, 128}, {4, 320}, {5, 33}, {8, 70}}) {
        const auto x = normal<TypeParam>(1, 2, 9, 11, c), w = gaussian<TypeParam>(2, 0, 0.2, o, 3, 3, c);
        const auto b = normal<TypeParam>(3, o);
        expect_oracle<biased, TypeParam>(Extents<4>{{2, 9, 11, o}}, *w, *x, *b);
    }
}
TYPED_TEST(Conv2DShortTest, PrologueEpilogueSinkAndGroups) {
    const auto x = normal<TypeParam>(1, 2, 9, 11, 8), w = gaussian<TypeParam>(2, 0, 0.2, 24, 3, 3, 4);
    const auto b = normal<TypeParam>(3, 24);
    expect_oracle_computing<grouped, TypeParam>(Extents<4>{{2, 24, 5, 6}}, *w, *x, *b, 1.0f);
}
TYPED_TEST(Conv2DShortTest, AQuadOfSeveralPieces) {
    const auto left = normal<TypeParam>(1, 1, 9, 11, 2), right = normal<TypeParam>(2, 1, 9, 11, 3);
    const auto w = gaussian<TypeParam>(3, 0, 0.2, 16, 3, 3, 5);
    expect_oracle<joined, TypeParam>(Extents<4>{{1, 9, 11, 16}}, *w, *left, *right);
}

}  // namespace
