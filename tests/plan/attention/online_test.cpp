// SPDX-License-Identifier: Apache-2.0
/// Recurrences derived from rows of attention: their types, what blocks, their text.
#include <inlay/plan/attention/online.hpp>
#include <inlay/plan/attention/online/linear.hpp>
#include <inlay/plan/attention/online/text.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;
using namespace inlay::online;

template <class A, class B>
inline constexpr bool same = std::is_same_v<A, B>;

using M = KeyMax<Score>;
using P = Exp<Sub<Score, M>>;
using L = KeySum<P>;
using O = KeySum<Mul<P, Values>>;
using Softmax = Div<O, L>;

// Softmax, in three spellings.
static_assert(same<derived<Softmax>, Softmax>);
static_assert(same<derived<KeySum<Mul<Div<P, L>, Values>>>, Softmax>);
static_assert(same<derived<KeySum<Mul<Values, Mul<Exp<Score>, Div<Exp<Neg<M>>, L>>>>>,
                   Div<KeySum<Mul<Exp<Add<Score, Neg<M>>>, Values>>, L>>);
using R = Recurrence<Softmax>;
static_assert(same<R::maxima, types<M>> && same<R::sums, types<L>> && same<R::vectors, types<O>>);
static_assert(same<R::weights, types<P>> && same<R::finish, types<Softmax>>);
static_assert(same<rescale_of<P>, Exp<Sub<Before<M>, M>>>);
static_assert(R::guard == RowGuard::sum && R::guarding_sum == 0 && R::maxima_may_lag && hides_itself<P>);

// Exponents are subtracted, not divided, and what holds a sum waits for the end.
static_assert(same<derived<KeySum<Div<Exp<Score>, Exp<M>>>>, L>);
static_assert(same<derived<KeySum<Mul<Exp<Sub<Score, Add<M, Log<L>>>>, Values>>>, Mul<O, Exp<Neg<Log<L>>>>>);
static_assert(same<derived<KeySum<Mul<Exp2<Score>, Exp2<Neg<M>>>>>, KeySum<Exp2<Add<Score, Neg<M>>>>>);
static_assert(same<rescale_of<Exp2<Mul<Sub<Score, M>, Param<0>>>>, Exp2<Mul<Sub<Before<M>, M>, Param<0>>>>);

// Factors without a key leave the sum, and so do shifts of a maximum.
static_assert(same<derived<KeySum<Mul<Mul<Param<0>, Score>, Div<Values, L>>>>,
                   Div<Mul<KeySum<Mul<Score, Values>>, Param<0>>, L>>);
static_assert(same<derived<KeySum<Const<1.0>>>, KeySum<Const<1.0>>>);
static_assert(same<derived<KeySum<Neg<Score>>>, Neg<KeySum<Score>>>);
static_assert(same<derived<KeyMax<Sub<Score, M>>>, Add<M, Neg<M>>>);

// Softmax + 1, a learned sink, a fixed maximum, an unnormalised denominator, log-sum-exp.
using Plus1 = Div<O, Add<L, Exp<Neg<M>>>>;
static_assert(same<Recurrence<Plus1>::finish, types<Plus1>> && Recurrence<Plus1>::maxima_may_lag);
using Top = Max<M, Buf<0>>;
using Q = Exp<Sub<Score, Top>>;
using WithSink = Recurrence<Div<KeySum<Mul<Q, Values>>, Add<KeySum<Q>, Exp<Sub<Buf<0>, Top>>>>>;
static_assert(same<WithSink::maxima, types<M>> && same<WithSink::weights, types<Q>> && WithSink::maxima_may_lag);
static_assert(same<rescale_of<Q>, Exp<Sub<Max<Before<M>, Buf<0>>, Top>>>);
static_assert(WithSink::guard == RowGuard::sum);
using SunkAndMoved = Add<Div<KeySum<Mul<Q, Values>>, Add<KeySum<Q>, Exp<Sub<Buf<0>, Top>>>>, Buf<1>>;
static_assert(Recurrence<SunkAndMoved>::guard == RowGuard::maximum);
using F = Exp<Sub<Score, Const<8.0>>>;
using Fixed = Recurrence<Div<KeySum<Mul<F, Values>>, KeySum<F>>>;
static_assert(same<Fixed::maxima, types<>> && same<rescale_of<F>, Const<1.0>> && Fixed::guard == RowGuard::sum);
using Unnormalised = Recurrence<Div<O, Add<Add<M, L>, Const<1e-6>>>>;
static_assert(!Unnormalised::maxima_may_lag && Unnormalised::guard == RowGuard::sum);
using WithLogSum = Recurrence<Softmax, Add<M, Log<L>>>;
static_assert(same<WithLogSum::reductions, types<M, O, L>> && WithLogSum::maxima_may_lag);
static_assert(!Recurrence<M>::maxima_may_lag && !Recurrence<Softmax, KeyMax<SecondScore>>::maxima_may_lag);
static_assert(!Recurrence<O>::maxima_may_lag && !Recurrence<Div<O, Add<L, Const<1e-6>>>>::maxima_may_lag);

// Sigmoid and linear attention have no maximum; the latter counts keys.
using S = Sigmoid<Add<Score, Param<0>>>;
using Gated = Recurrence<KeySum<Mul<S, Values>>>;
static_assert(same<Gated::maxima, types<>> && same<Gated::sums, types<>> && Gated::guard == RowGuard::none);
using Linearly = Recurrence<Div<KeySum<Mul<Score, Values>>, KeySum<Score>>>;
static_assert(same<Linearly::sums, types<KeySum<Score>, KeySum<Const<1.0>>>> && Linearly::guard == RowGuard::count);
static_assert(!hides_itself<Score> && !hides_itself<Mul<Score, P>>);

// Two softmaxes over one V in one pass.
using P2 = Exp<Sub<SecondScore, KeyMax<SecondScore>>>;
using L2 = KeySum<P2>;
using Difference = KeySum<Mul<Sub<Div<P, L>, Mul<Param<0>, Div<P2, L2>>>, Values>>;
static_assert(same<derived<Difference>, Sub<Softmax, Div<Mul<KeySum<Mul<P2, Values>>, Param<0>>, L2>>>);
static_assert(same<Recurrence<Difference>::weights, types<P, P2>> && Recurrence<Difference>::maxima_may_lag);
static_assert(Recurrence<Difference>::guard == RowGuard::maximum);

// Terms that block.
template <class Term, class Fault, class... Output>
inline constexpr bool blocks = same<blocked_in<Output...>, Blocked<Term, Fault>> && !OnlineRow<Output...>;
using Mean = Div<KeySum<Score>, KeySum<Const<1.0>>>;
static_assert(blocks<Mul<Score, M>, NoProduct, KeySum<Exp<Mul<Score, M>>>>);
static_assert(blocks<Sub<Score, Mean>, NoProduct, KeySum<Mul<Sub<Score, Mean>, Sub<Score, Mean>>>>);
static_assert(blocks<Sigmoid<Sub<Score, M>>, NoProduct, Softmax, KeySum<Sigmoid<Sub<Score, M>>>>);
static_assert(blocks<Max<Score, L>, NoProduct, KeyMax<Max<Score, L>>>);
static_assert(blocks<Mul<Values, Values>, InnerValues, KeySum<Mul<Values, Values>>>);
static_assert(blocks<Exp<Values>, InnerValues, KeySum<Mul<P, Exp<Values>>>>);
static_assert(blocks<Values, InnerValues, KeyMax<Values>>);
static_assert(blocks<O, InnerVector, KeySum<Mul<P, Softmax>>>);
static_assert(blocks<Mul<Score, O>, OpenKey, Mul<Score, O>>);
static_assert(blocks<Score, OpenTwoPass, KeySum<TwoPass<Score>>>);

// Exponents as a kernel takes them: slope and offset of a row.
static_assert(same<linear_of<Sub<Score, M>>, LinearInScore<Const<1.0>, Neg<M>>>);
static_assert(same<linear_of<Mul<Sub<Score, M>, Param<0>>>, LinearInScore<Param<0>, Mul<Param<0>, Neg<M>>>>);
static_assert(same<linear_of<Sub<Div<Score, Const<2.0>>, Top>>, LinearInScore<Div<Const<1.0>, Const<2.0>>, Neg<Top>>>);
static_assert(same<linear_of<Sub<SecondScore, M>, SecondScore>, LinearInScore<Const<1.0>, Neg<M>>>);
static_assert(LinearExponential<P> && LinearExponential<Exp2<Sub<Buf<0>, Score>>> && !LinearExponential<P2>);
static_assert(!LinearExponential<Exp<Tanh<Score>>> && !LinearExponential<Exp<Mul<Score, Score>>> &&
              !LinearExponential<Exp<Sub<Score, Coord<3>>>> && !LinearExponential<Mul<Score, P>>);

// A pass of its own lifts what blocks, and passes nest.
using Passes = passes_of<KeySum<Exp<Mul<Score, TwoPass<M>>>>>;
static_assert(same<Passes, types<Recurrence<M>, Recurrence<KeySum<Exp<Mul<Score, TwoPass<M>>>>>>>);
using Off = Sub<Score, TwoPass<Mean>>;
using Deviation = Sqrt<Div<KeySum<Mul<Off, Off>>, KeySum<Const<1.0>>>>;
using Standard = Exp<Div<Off, TwoPass<Deviation>>>;
static_assert(same<passes_of<KeySum<Mul<Standard, Values>>>,
                   types<Recurrence<Mean>, Recurrence<Deviation>, Recurrence<KeySum<Mul<Standard, Values>>>>>);

TEST(OnlineRow, TextIsTheMathematics) {
    EXPECT_EQ(std::string(recurrence_text<Softmax, Add<M, Log<L>>>()), R"(m = max s
p = exp(s - m)
l = Σ p
o = Σ p V
new maxima: l, o times exp(m - m')
output1 = o / l
output2 = m + log(l)
no key: l = 0
)");
    EXPECT_EQ(std::string(recurrence_text<Difference>()), R"(m1 = max s
m2 = max t
p1 = exp(s - m1)
p2 = exp(t - m2)
l1 = Σ p1
l2 = Σ p2
o1 = Σ p1 V
o2 = Σ p2 V
new maxima: l1, o1 times exp(m1 - m1')
new maxima: l2, o2 times exp(m2 - m2')
output = o1 / l1 - o2 Param<0> / l2
no key: m1 = -inf
)");
    EXPECT_EQ(std::string(recurrence_text<KeySum<Mul<Off, Off>>>()), R"(pass 1:
p1 = s
p2 = 1
l1 = Σ p1
l2 = Σ p2
output = l1 / l2
no key: l2 = 0
pass 2:
p = (s - [Σ s / Σ 1]) (s - [Σ s / Σ 1])
l = Σ p
output = l
)");
}

/// Scores and conditions are written by the same rules: the query is i, the key j.
TEST(OnlineRow, TextOfScores) {
    const auto text = []<class E>(E) {
        return std::string(online::detail::Formula<online::detail::NoReductions, false>::text(E{}));
    };
    constexpr auto i = query_position;
    constexpr auto j = coord<3>;
    EXPECT_EQ(text(constant<20> * tanh(out * constant<0.125> / constant<20>)), "20 tanh(0.125 Q·K / 20)");
    EXPECT_EQ(text(out * constant<0.125> + buf<3> * (j - i)), "0.125 Q·K + Buf<3> (j - i)");
    EXPECT_EQ(text(where(j <= i && (coord<1> != constant<2> || !(i < j)), out, constant<-__builtin_huge_val()>)),
              "where(j <= i and (head != 2 or not (i < j)), Q·K, -inf)");
}

}  // namespace
