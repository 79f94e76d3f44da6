// SPDX-License-Identifier: Apache-2.0
/// Attentions beside plain softmax, one for each thing that their algebra may hold. Q, K and V are slots 0, 1 and 2.
#pragma once

#include <inlay/expr/sink/permuted.hpp>
#include <inlay/frame/attention.hpp>

#include <cmath>

namespace inlay_test::attentions {

using namespace inlay;

/// Heads that every engine takes.
inline constexpr int width = 64;
template <class... Options>
using Of = Attention<width, Buf<0>, Buf<1>, Buf<2>, Options...>;

/// Q·K / √64, as an operand of scores.
using Product = Mul<Out, Const<0.125>>;
/// Keys from a query back to one, positive before it.
using Distance = Sub<QueryPosition, Coord<3>>;

// Masks.
struct window : Of<mask::Window<Const<24>>> {};
struct window_at_run_time : Of<mask::Window<Param<0>>> {};
struct prefix : Of<mask::Prefix<Const<10>>> {};
struct sink_and_window
    : Of<mask::If<And<LessEqual<Coord<3>, QueryPosition>, Or<Less<Coord<3>, Const<4>>, Less<Distance, Const<16>>>>>> {};
/// Ids of queries [B, 1, Sq, 1] and of keys [B, 1, 1, Skv], the latter in ascending order.
struct documents : Of<mask::If<And<Equal<Ascending<Buf<4>>, Buf<3>>, LessEqual<Coord<3>, QueryPosition>>>> {};
/// Ids in any order: no interval.
struct scattered : Of<mask::If<Equal<Buf<4>, Buf<3>>>> {};
/// Lengths of a batch, [B, 1, 1, 1].
struct lengths : Of<mask::If<Less<Coord<3>, Buf<3>>>> {};
struct blocks : Of<mask::If<Equal<Floor<Div<QueryPosition, Const<16>>>, Floor<Div<Coord<3>, Const<16>>>>>> {};
struct every_other
    : Of<mask::If<Equal<Mul<Const<2>, Floor<Mul<Distance, Const<0.5>>>>, Distance>>> {};
using NoKey = mask::If<Less<Coord<3>, Const<0>>>;
struct nothing : Of<NoKey> {};

// Scores.
struct softcap : Of<score::Softcap<Const<2>>> {};
struct causal_softcap : Of<score::Softcap<Param<0>>, mask::Causal> {};
struct window_softcap : Of<score::Softcap<Const<2>>, mask::Window<Const<24>>> {};
/// Slopes [heads, 1, 1].
struct alibi : Of<score::Of<Sub<Product, Mul<Buf<3>, Distance>>>, mask::Causal> {};
/// A bias that broadcasts over [B, heads, Sq, Skv].
struct bias : Of<score::Of<Add<Product, Buf<3>>>> {};
struct hides_by_score : Of<score::Of<Where<Less<Abs<Distance>, Const<9>>, Product, HiddenScore>>, mask::Causal> {};
/// Keys are hidden by a value, not by where they lie: in the score, below another node, and in the mask.
struct hides_by_product : Of<score::Of<Where<Greater<Out, Const<0>>, Product, HiddenScore>>, mask::Causal> {};
struct hides_below : Of<score::Of<Add<Where<Greater<Out, Const<0>>, Product, HiddenScore>, Const<1>>>> {};
struct masked_by_product : Of<mask::If<And<Greater<Out, Const<0>>, LessEqual<Coord<3>, QueryPosition>>>> {};

// Rows.
struct plus_one : Of<row::SoftmaxPlusOne> {};
/// Logits [heads, 1, 1].
struct learned_sink : Of<row::Sink<Buf<3>>, mask::Causal> {};
struct sigmoid : Of<row::Sigmoid, mask::Causal> {};
struct linear : Of<row::Linear, mask::Causal> {};
struct log_sum_exp : Of<mask::Causal, RowStore<1, row::LogSumExp>> {};
struct log_sum_exp_of_nothing : Of<NoKey, RowStore<1, row::LogSumExp>> {};
struct softcap_log_sum_exp : Of<mask::Window<Const<24>>, score::Softcap<Const<2>>, RowStore<1, row::LogSumExp>> {};
struct counted : Of<mask::Causal, RowStore<1, KeySum<Const<1>>>> {};
using WeightedValues = KeySum<Mul<row::Weight, Values>>;
struct maximum_and_sum
    : Of<row::Of<Div<WeightedValues, Add<Add<Abs<KeyMax<Score>>, KeySum<row::Weight>>, Const<1e-6>>>>> {};
using FixedWeight = Exp<Sub<Score, Const<2>>>;
struct fixed_maximum : Of<row::Of<Div<KeySum<Mul<FixedWeight, Values>>, KeySum<FixedWeight>>>, mask::Causal> {};
/// Two temperatures in one pass, the weights of the second of a maximum of their own.
using Half = Mul<Const<0.5>, Score>;
using HalfWeight = Exp<Sub<Half, KeyMax<Half>>>;
struct two_softmaxes : Of<row::Of<Sub<row::Softmax::output, Mul<Param<0>, Div<KeySum<Mul<HalfWeight, Values>>,
                                                                             KeySum<HalfWeight>>>>>,
                          mask::Causal> {};
/// Scores above their mean, which is known after a pass of its own.
using Above = Relu<Sub<Score, TwoPass<Div<KeySum<Score>, KeySum<Const<1>>>>>>;
struct above_mean
    : Of<row::Of<Div<KeySum<Mul<Above, Values>>, Add<KeySum<Above>, Const<0.001>>>>, mask::Causal,
         RowStore<1, KeySum<Above>>> {};

// Shapes.
struct narrow_values : Of<ValueColumns<16>> {};
struct wide_values : Of<ValueColumns<80>, mask::Causal, score::Softcap<Const<2>>> {};
struct options_together
    : Of<Silu<Add<Out, Buf<4>>>, Permuted<Store<0>, 0, 2, 1, 3>, RowStore<1, row::LogSumExp>, row::Sink<Buf<3>>,
         score::Softcap<Const<2>>, mask::Window<Param<0>>> {};

}  // namespace inlay_test::attentions
