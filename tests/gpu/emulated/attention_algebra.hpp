// SPDX-License-Identifier: Apache-2.0
/// Attentions of any algebra with a schedule given by hand, keys among one block of threads and among three.
#pragma once

#include "expect_schedule.hpp"

#include <inlay/frame/attention.hpp>

namespace inlay_test::any_attention {

using namespace inlay;

template <int D, class... Options>
struct Of : Attention<D, Buf<0>, Buf<1>, Buf<2>, Options...> {};

template <class W>
using Mean = Div<KeySum<Mul<W, Values>>, KeySum<W>>;
using Half = Mul<Const<0.5>, Score>;
using HalfWeight = Exp<Sub<Half, KeyMax<Half>>>;
using Above = Relu<Sub<Score, TwoPass<Div<KeySum<Score>, KeySum<Const<1>>>>>>;

template <int D>
using capped_window = Of<D, mask::Window<Const<24>>, score::Softcap<Const<2>>>;
template <int D>
using two_means = Of<D, row::Of<Sub<Mean<row::Weight>, Mul<Const<0.3>, Mean<HalfWeight>>>>>;
template <int D>
using above_mean = Of<D, row::Of<Div<KeySum<Mul<Above, Values>>, Add<KeySum<Above>, Const<0.5>>>>>;
/// Slopes or logits [heads, 1, 1].
template <int D>
using sloped = Of<D, mask::Causal, score::Of<Sub<Mul<Out, Const<0.125>>, Mul<Buf<3>, Sub<QueryPosition, Coord<3>>>>>>;
template <int D>
using sloped_sigmoid = Of<D, row::Sigmoid, score::Of<Sub<Mul<Out, Const<0.125>>, Buf<3>>>>;
template <int D>
using learned_sink = Of<D, mask::Causal, row::Sink<Buf<3>>>;

/// With rows of V of another length only those.
template <class With, class T, int D, int DV = D>
void expect(index_t queries = 20, index_t keys = 150) {
    auto q = normal<T>(1, 1, 4, queries, D), k = normal<T>(2, 1, 2, keys, D), v = normal<T>(3, 1, 2, keys, DV);
    auto slopes = unwritten<float>(4, 1, 1);
    slopes.v = {0.5f, 0.25f, 0.125f, 0.0f};
    const Extents<4> out{{1, 4, queries, DV}};
    for (const int splits : {1, 3}) {
        if constexpr (DV == D) {
            expect_schedule<capped_window<D>, With, T>(splits, out, q, k, v);
            expect_schedule<two_means<D>, With, T>(splits, out, q, k, v);
            expect_schedule<above_mean<D>, With, T>(splits, out, q, k, v);
            expect_schedule<sloped<D>, With, T>(splits, out, q, k, v, slopes);
            expect_schedule<sloped_sigmoid<D>, With, T>(splits, out, q, k, v, slopes);
            expect_schedule<learned_sink<D>, With, T>(splits, out, q, k, v, slopes);
        } else {
            expect_schedule<Of<D, ValueColumns<DV>, mask::Causal>, With, T>(splits, out, q, k, v);
        }
    }
}

}  // namespace inlay_test::any_attention
