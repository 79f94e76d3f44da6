// SPDX-License-Identifier: Apache-2.0
/// Attention of sm_90a's engine under conditions, scores and rows of any kind: blocks of keys that some warpgroup does
/// not visit, masks by bounds and by the condition itself, rows without a key.
#include "attentions.hpp"

#include <cmath>
#include <cstring>

namespace {

using namespace inlay;
using namespace inlay_test;

template <int D, class... Options>
struct attend : Attention<D, Buf<0>, Buf<1>, Buf<2>, Options...> {};

/// Extents of a case; `keys_heads` divides `heads`.
struct Shape {
    index_t batch, heads, key_heads, queries, keys;
};

/// `more`: the tensors of slots 3 and on.
template <class Tile, class... Options, class... More>
void expect(const Shape& s, More... more) {
    using T = typename Tile::T;
    auto q = gaussian<T>(1, 0, 1, s.batch, s.heads, s.queries, Tile::d);
    auto k = gaussian<T>(2, 0, 1, s.batch, s.key_heads, s.keys, Tile::d);
    auto v = normal<T>(3, s.batch, s.key_heads, s.keys, Tile::d);
    expect_schedule<attend<Tile::d, Options...>, WithTile<Tile>, T>(
        1, Extents<4>{{s.batch, s.heads, s.queries, Tile::d}}, q, k, v, more...);
}

using Two = AttentionTile<64, 2, 64>;
using InTurn = AttentionTile<64, 3, 64, true>;
using Causal = mask::Causal::condition;

// The first warpgroup of a tile has no need of the last blocks of a window, the last one not of the first.
TEST(WgmmaConditions, Window) {
    expect<Two, mask::Window<Const<50>>>({1, 2, 2, 200, 200});
    expect<InTurn, mask::Window<Const<70>>>({1, 2, 1, 330, 330});
    expect<InTurn, mask::Window<Const<1>>>({1, 1, 1, 200, 200});
    expect<AttentionTile<40, 2, 128, true, bf16>, mask::Window<Const<33>>>({2, 1, 1, 100, 400});
    expect<Two, mask::Window<Param<0>>>({1, 1, 1, 150, 300}, Number{100});
}
TEST(WgmmaConditions, RowsWithoutKeys) {
    expect<Two, mask::Window<Const<20>>>({1, 2, 2, 200, 100});      // 100 see nothing: 0
    expect<InTurn, mask::If<Less<Coord<3>, Sub<Const<100>, QueryPosition>>>>({1, 1, 1, 300, 300});
    expect<Two, mask::If<Const<0>>>({1, 1, 1, 70, 70});
}
// Two intervals of blocks; between them some that nobody loads.
TEST(WgmmaConditions, SinkAndWindow) {
    using Seen = And<Causal, Or<Less<Coord<3>, Const<5>>, Less<Sub<QueryPosition, Coord<3>>, Const<60>>>>;
    expect<Two, mask::If<Seen>>({1, 2, 1, 400, 400});
    expect<InTurn, mask::If<Seen>>({1, 1, 1, 400, 450});
}
TEST(WgmmaConditions, Prefix) {
    expect<InTurn, mask::Prefix<Const<100>>>({1, 1, 1, 300, 300});
    expect<Two, mask::Prefix<Param<0>>>({1, 1, 1, 100, 300}, Number{3});
}
// Blocks of keys of both blocks of a cluster, and a block that is all keys.
TEST(WgmmaConditions, OtherSchedules) {
    expect<TableTile<fp16, 512, 1>, mask::Window<Const<40>>>({1, 1, 1, 70, 200});
    expect<TableTile<fp16, 512, 0>, mask::Window<Const<40>>>({1, 1, 1, 70, 200});
    expect<TableTile<fp16, 64, 2>, mask::Window<Const<9>>>({1, 2, 2, 77, 77});
    expect<TableTile<bf16, 128, 0>, mask::Window<Const<90>>>({1, 1, 1, 210, 300});
    expect<FoldedTile<fp16>, mask::Window<Const<90>>, score::Base2>({1, 1, 1, 150, 300});
}

TEST(WgmmaScores, Softcap) {
    expect<Two, mask::Causal, score::Softcap<Const<20>>>({1, 2, 1, 100, 150});
    expect<Two, mask::Window<Const<70>>, score::Softcap<Const<1>>>({1, 1, 1, 150, 150});
    expect<InTurn, score::Softcap<Param<0>>>({1, 1, 1, 70, 100}, Number{5});
    expect<AttentionTile<64, 1, 64, false, bf16>, score::Softcap<Const<500>>>({1, 1, 1, 70, 100});
}
TEST(WgmmaScores, Slopes) {
    using Bias = Mul<Buf<3>, Sub<Coord<3>, QueryPosition>>;
    using Alibi = score::Of<Add<Mul<Out, Const<0.125>>, Bias>>;
    const Array<float, 3> slopes = normal<float>(4, 2, 1, 1);
    expect<Two, mask::Causal, Alibi>({1, 2, 2, 150, 170}, slopes);
    expect<InTurn, Alibi>({1, 2, 1, 70, 100}, slopes);
    expect<InTurn, mask::Window<Const<90>>, Alibi>({1, 2, 2, 200, 230}, slopes);
}
// Linear in product and key in other forms; one that is linear in neither, and slopes that vary along the keys.
TEST(WgmmaScores, LinearScores) {
    using Distance = Sub<QueryPosition, Coord<-1>>;
    using Forms = Sub<Div<Out, Param<0>>, Neg<Mul<Div<Neg<Distance>, Const<40>>, Buf<3>>>>;
    expect<InTurn, score::Of<Forms>>({1, 2, 1, 100, 170}, normal<float>(4, 100, 1), Number{5});
    expect<Two, mask::Causal, score::Of<Sub<Coord<3>, Mul<Const<-0.125>, Out>>>>({1, 1, 1, 70, 100});
    using Bent = Sub<Mul<Out, Const<0.125>>, Mul<Distance, Mul<Coord<3>, Const<0.001>>>>;
    expect<Two, mask::Causal, score::Of<Bent>>({1, 1, 1, 70, 100});
    expect<Two, score::Of<Add<Mul<Out, Const<0.125>>, Mul<Buf<3>, Mul<Coord<3>, Const<0.01>>>>>>(
        {1, 1, 1, 70, 100}, normal<float>(4, 100));
}
// Tensors of queries and keys end with the last ones.
TEST(WgmmaScores, Biases) {
    using Biased = score::Of<Add<Mul<Out, Const<0.125>>, Buf<3>>>;
    expect<Two, Biased>({2, 2, 1, 70, 100}, normal<fp16>(4, 2, 2, 70, 100));
    expect<InTurn, mask::Causal, Biased>({1, 2, 1, 130, 130}, normal<float>(4, 1, 130));
    expect<Two, mask::Causal, Biased>({1, 2, 1, 130, 130}, normal<float>(4, 130, 1));
}
TEST(WgmmaScores, HiddenByTheScore) {
    using Hides = score::Of<Where<Less<Coord<3>, Const<30>>, Mul<Out, Const<0.125>>, HiddenScore>>;
    expect<Two, mask::Causal, Hides>({1, 1, 1, 100, 150});
}

// Ids are searched where they ascend along the keys; else compared score by score.
TEST(WgmmaConditions, Documents) {
    Array<std::int32_t, 1> keys(Extents<1>{{260}}, 0.0), other(Extents<1>{{260}}, 0.0);
    for (std::size_t i = 0; i < 260; ++i) {
        keys.v[i] = static_cast<std::int32_t>((1 << 25) + i / 90);      // as floats they are one
        other.v[i] = static_cast<std::int32_t>(i * 7 % 3);
    }
    Array<std::int32_t, 2> queries(Extents<2>{{260, 1}}, 0.0), others(Extents<2>{{260, 1}}, 0.0);
    queries.v = keys.v, others.v = other.v;
    using Ascend = Equal<Ascending<Buf<3>>, Ascending<Buf<4>>>;
    expect<InTurn, mask::If<Ascend>>({1, 2, 1, 260, 260}, queries, keys);
    expect<Two, mask::If<And<Causal, Ascend>>>({1, 1, 1, 260, 260}, queries, keys);
    expect<Two, mask::If<Equal<Buf<3>, Buf<4>>>>({1, 1, 1, 260, 260}, others, other);
}
// Bounds of tensors, found once for the rows of a tile: of lengths, of rows in any order of which some see nothing, of
// whole tiles that see nothing, and of two intervals.
TEST(WgmmaConditions, BoundsOfTensors) {
    Array<float, 4> lengths(Extents<4>{{3, 1, 1, 1}}, 0.0);
    lengths.v = {100.0f, 0.0f, 1e6f};
    expect<Two, mask::If<Less<Coord<3>, Buf<3>>>>({3, 2, 1, 150, 300}, lengths);
    Array<std::int32_t, 2> bounds(Extents<2>{{300, 1}}, 0.0);
    for (std::size_t i = 0; i < 300; ++i)
        bounds.v[i] = i < 200 ? static_cast<std::int32_t>(i * 37 % 260) - 20 : 0;
    using Ragged = And<Less<Coord<3>, Buf<3>>, Less<Sub<Buf<3>, Coord<3>>, Const<90>>>;
    expect<Two, mask::If<Ragged>>({1, 2, 1, 300, 280}, bounds);
    expect<TableTile<fp16, 64, 2>, mask::If<Ragged>>({1, 1, 1, 300, 77}, bounds);
    expect<TableTile<fp16, 512, 1>, mask::If<Less<Coord<3>, Buf<3>>>>({1, 1, 1, 70, 200}, normal<float>(4, 70, 1));
    expect<Two, mask::If<Or<Less<Coord<3>, Const<9>>, Less<Buf<3>, Coord<3>>>>>({1, 1, 1, 300, 260}, bounds);
}
// Every third key; a term that no bound decides beside one that some do.
TEST(WgmmaConditions, Dilated) {
    using Third = Equal<Sub<Coord<3>, Mul<Const<3>, Floor<Div<Coord<3>, Const<3>>>>>, Const<0>>;
    expect<Two, mask::If<And<Third, mask::Window<Const<100>>::condition>>>({1, 1, 1, 200, 230});
}

TEST(WgmmaRows, PlusOneAndSinks) {
    expect<Two, row::SoftmaxPlusOne>({1, 2, 2, 70, 100});
    expect<Two, mask::Window<Const<9>>, row::SoftmaxPlusOne>({1, 1, 1, 200, 100});
    // Sinks above the scores, among them, and below.
    Array<float, 3> sinks(Extents<3>{{3, 1, 1}}, 0.0);
    sinks.v = {30.0f, 0.5f, -30.0f};
    expect<InTurn, mask::Causal, row::Sink<Buf<3>>>({1, 3, 3, 100, 100}, sinks);
    expect<TableTile<fp16, 512, 1>, row::Sink<Buf<3>>>({1, 3, 3, 20, 100}, sinks);
    using Of8 = And<Causal, Less<Sub<QueryPosition, Coord<3>>, Const<8>>>;
    expect<Two, mask::If<Of8>, score::Softcap<Const<3>>, row::Sink<Buf<3>>>({1, 3, 1, 200, 100}, sinks);
}

// Rows of V of another length, down to one box beside several of K.
template <int D, int DV, class T, class... Options>
void expect_columns(const Shape& s) {
    using Tile = std::conditional_t<(DV < 64), on_gpu::WgmmaAttentionTile<T, D, 2, 64, 2, 1, false, 1, 1, false, false, DV>,
                                    TableTile<T, D, 0, false, DV>>;
    auto q = normal<T>(1, s.batch, s.heads, s.queries, D), k = normal<T>(2, s.batch, s.key_heads, s.keys, D),
         v = normal<T>(3, s.batch, s.key_heads, s.keys, DV);
    expect_schedule<attend<D, ValueColumns<DV>, Options...>, WithTile<Tile>, T>(
        1, Extents<4>{{s.batch, s.heads, s.queries, DV}}, q, k, v);
}
TEST(WgmmaAttention, ColumnsOfV) {
    expect_columns<192, 128, fp16, mask::Causal>({1, 2, 1, 140, 300});
    expect_columns<192, 128, bf16>({1, 1, 1, 20, 270});
    expect_columns<80, 40, fp16>({1, 1, 1, 70, 200});
}

/// Numbers of rows beside the result, of Sq > Skv: the first rows see no key.
template <class Tile, class... Options>
void expect_numbers(const Shape& s) {
    using T = typename Tile::T;
    using K = attend<Tile::d, RowStore<1, row::LogSumExp>, Options...>;
    auto q = gaussian<T>(1, 0, 1, s.batch, s.heads, s.queries, Tile::d);
    auto k = gaussian<T>(2, 0, 1, s.batch, s.key_heads, s.keys, Tile::d);
    auto v = normal<T>(3, s.batch, s.key_heads, s.keys, Tile::d);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Array<T, 4> y(Extents<4>{{s.batch, s.heads, s.queries, Tile::d}}, nan);
    Array<float, 3> n(Extents<3>{{s.batch, s.heads, s.queries}}, nan);
    Array<double, 4> exact(y.extents, nan);
    Array<double, 3> exact_n(n.extents, nan);
    Oracle oracle;
    prepare<K>(*exact, *exact_n, *q, *k, *v).run(oracle);
    Placed to(y), numbers(n), on_q(q), on_k(k), on_v(v);
    WithTile<Tile> target{executor().launcher(), 1};
    prepare<K>(*to, *numbers, *on_q, *on_k, *on_v).run(target);
    to.fetch(), numbers.fetch();
    const double rounding = rounding_of<T>(exact.v);
    EXPECT_LE(relative_l2(doubles(y.v), exact.v), fp32_error + 1.25 * std::hypot(rounding, rounding));
    for (std::size_t i = 0; i < n.v.size(); ++i) {
        if (std::isinf(exact_n.v[i])) EXPECT_EQ(static_cast<double>(n.v[i]), exact_n.v[i]) << i;
        else EXPECT_NEAR(static_cast<double>(n.v[i]), exact_n.v[i], 1e-4) << i;
    }
}
TEST(WgmmaRows, LogSumExp) {
    expect_numbers<Two, mask::Causal>({2, 2, 1, 150, 130});
    expect_numbers<InTurn, mask::Window<Const<20>>, score::Softcap<Const<20>>>({1, 1, 1, 200, 250});
    expect_numbers<TableTile<fp16, 512, 1>>({1, 1, 1, 20, 100});
    expect_numbers<TableTile<fp16, 512, 0>>({1, 1, 1, 20, 100});
}

}  // namespace
