// SPDX-License-Identifier: Apache-2.0
/// Sums in parts, which the blocks of a cluster exchange.
#include "products.hpp"

#include <utility>

namespace {

using namespace inlay;
using namespace inlay_test;

struct biased : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct evaluated_filter : Conv2D<Filter<3>, Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct sum : Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>> {};

TEST(WgmmaClusterSplitK, Parts) {
    each_box([]<class T, int I>(index_t columns) {
        LinearArrays<T> a{columns};
        for (const int parts : {2, 3}) expect_schedule<sum, With<I>, T>(parts, a.out, a.w, a.x, a.b, a.r);
    });
}

// Of an epilogue that leaves room for more stages, in which what other blocks send lies; the last step in any of them.
TEST(WgmmaClusterSplitK, PartsThatRegistersSend) {
    each_box([]<class T, int I>(index_t columns) {
        for (const index_t steps : {4, 5, 9, 14})
            for (const int parts : {2, 3}) {
                auto x = normal<T>(1, 70, 64 * steps), w = gaussian<T>(2, 0, 0.04, columns, 64 * steps);
                auto b = normal<T>(3, columns);
                expect_schedule<biased, With<I>, T>(parts, Extents<2>{{70, columns}}, w, x, b);
            }
    });
}
TEST(WgmmaClusterSplitK, PartsOfWindows) {
    for (const auto& [columns, parts] : {std::pair(index_t(104), 2), std::pair(index_t(96), 3)}) {
        auto x = normal<fp16>(1, 2, 9, 18, 136), w = gaussian<fp16>(2, 0, 0.03, columns, 3, 3, 136);
        auto b = normal<fp16>(3, columns);
        const Extents<4> out{{2, 9, 18, columns}};
        expect_schedule<filter, With<1>, fp16>(parts, out, w, x, b);
        expect_schedule<filter, With<2>, fp16>(parts, out, w, x, b);
        expect_schedule<evaluated_filter, With<1>, fp16>(parts, out, w, x, b);
        expect_schedule<evaluated_filter, With<2>, fp16>(parts, out, w, x, b);
    }
}

// A tile's rows and steps divide into neither; a part may have one step.
TEST(WgmmaClusterSplitK, AsManyPartsAsAClusterHasBlocks) {
    for (const index_t columns : {96, 112}) {
        auto x = normal<fp16>(1, 150, 520), w = gaussian<fp16>(2, 0, 0.04, columns, 520);
        auto r = normal<fp16>(4, 150, columns);
        auto b = normal<fp16>(3, columns);
        for (const int parts : {5, 7, 8}) {
            expect_schedule<sum, With<1>, fp16>(parts, Extents<2>{{150, columns}}, w, x, b, r);
            expect_schedule<sum, With<2>, fp16>(parts, Extents<2>{{150, columns}}, w, x, b, r);
        }
    }
}

}  // namespace
