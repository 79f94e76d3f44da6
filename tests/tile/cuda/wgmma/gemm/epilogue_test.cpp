// SPDX-License-Identifier: Apache-2.0
/// The epilogue of a tile: a gated product, and an epilogue whose leaf has a seam within a group of columns.
#include "products.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

struct two_sums : Linear<Buf<0>, Mul<Add<Out, Buf<1>>, Gelu<Add<OutGate, Buf<1>>>>> {};
struct two_pieces : Linear<Buf<0>, Add<Add<Out, Concat<-1, Buf<1>, Buf<2>>>, Buf<3>>> {};

TEST(WgmmaEpilogue, TwoSumsOfAColumn) {
    const auto box = []<class T, int I>(index_t columns) {
        if constexpr (wgmma_boxes[I].n % 32 == 0) {
            LinearArrays<T> a{columns};
            // Whole tiles where they have the sums of a column in halves.
            const index_t n = affine_silu_columns(wgmma_boxes[I].n) ? wgmma_boxes[I].n : 112;
            auto pairs = gaussian<T>(7, 0, 0.08, 2 * n, 136);
            auto d = normal<T>(8, n);
            for (const int parts : {1, 2, 3})
                expect_schedule<two_sums, With<I>, T>(parts, Extents<2>{{150, n}}, pairs, a.x, d);
        }
    };
    each_box(box);
    static_assert(wgmma_boxes[5].pairs);
    box.template operator()<fp16, 5>(104);
}
TEST(WgmmaEpilogue, PiecesOfColumns) {
    each_box([]<class T, int I>(index_t columns) {
        LinearArrays<T> a{columns};
        auto first = normal<T>(9, 150, 40), second = normal<T>(10, 150, columns - 40);
        auto c = normal<float>(11, columns);
        for (const int parts : {1, 2})
            expect_schedule<two_pieces, With<I>, T>(parts, a.out, a.w, a.x, first, second, c);
    });
}

}  // namespace
