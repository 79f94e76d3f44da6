// SPDX-License-Identifier: Apache-2.0
#include "plain_row.hpp"
#include "softmax_row.hpp"

#include <inlay/plan/attention/online/derive.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace inlay;
using namespace inlay_test;
using namespace inlay::online;
using inlay_test::PlainRow;

using Count = KeySum<Const<1.0>>;

/// True if one pass computes all reductions of E: no maximum and no weight holds a sum, no maximum another reduction.
template <class E, class Children = typename E::children>
inline constexpr bool in_one_pass = false;
template <class E, class... C>
inline constexpr bool in_one_pass<E, types<C...>> = (in_one_pass<C> && ...);
template <class E>
inline constexpr bool in_one_pass<KeyMax<E>, types<E>> = !holds_reduction<E> && !reads_values<E>;
template <class E>
inline constexpr bool in_one_pass<KeySum<E>, types<E>> = !holds_sum<E> && in_one_pass<E>;
template <class Term, class Fault>
inline constexpr bool in_one_pass<Blocked<Term, Fault>, types<>> = false;

template <class E>
void expect_the_same_value() {
    static_assert(in_one_pass<derived<E>>);
    const PlainRow row;
    const double want = row.value<E>();
    EXPECT_NEAR(row.value<derived<E>>(), want, 1e-14 * std::abs(want));
}

TEST(Derive, WhatOnePassComputesHasTheValueOfWhatWasWritten) {
    expect_the_same_value<Div<Vector, Total>>();
    expect_the_same_value<KeySum<Mul<Div<Weight, Total>, Values>>>();
    expect_the_same_value<KeySum<Mul<Exp<Sub<Score, Add<Top, Log<Total>>>>, Values>>>();
    expect_the_same_value<KeySum<Div<Exp<Score>, Exp<Add<Top, Log<Total>>>>>>();
    expect_the_same_value<KeySum<Mul<Exp2<Score>, Div<Mul<Score, Param<0>>, Exp2<Top>>>>>();
    expect_the_same_value<KeySum<Mul<Sub<Div<Weight, Total>, Mul<Param<0>, Exp<SecondScore>>>, Values>>>();
    expect_the_same_value<KeySum<Neg<Mul<Neg<Score>, Div<Values, Total>>>>>();
    expect_the_same_value<KeyMax<Sub<Score, Top>>>();
    expect_the_same_value<KeyMax<Add<Mul<Score, Score>, Log<Total>>>>();
    expect_the_same_value<KeyMax<Total>>();
    expect_the_same_value<Div<KeySum<Mul<Score, Values>>, Add<KeySum<Score>, Count>>>();
}

template <class E, class Expected>
inline constexpr bool derives = std::is_same_v<derived<E>, Expected>;

TEST(Derive, SumsKeepTheKeyAndTheRestWaits) {
    EXPECT_TRUE((derives<Vector, Vector>));
    EXPECT_TRUE((derives<KeySum<Mul<Param<0>, Values>>, Mul<KeySum<Values>, Param<0>>>));
    EXPECT_TRUE((derives<KeySum<Div<Mul<Score, Values>, Total>>, Div<KeySum<Mul<Score, Values>>, Total>>));
    EXPECT_TRUE((derives<KeySum<Param<0>>, Mul<Count, Param<0>>>));
    EXPECT_TRUE((derives<KeySum<Neg<Score>>, Neg<KeySum<Score>>>));
    EXPECT_TRUE((derives<KeySum<Neg<Neg<Score>>>, KeySum<Score>>));
    // Exponents meet before their power is taken: e^s alone may overflow.
    EXPECT_TRUE((derives<KeySum<Mul<Exp<Score>, Exp<Neg<Top>>>>, KeySum<Exp<Add<Score, Neg<Top>>>>>));
    EXPECT_TRUE(
        (derives<KeySum<Mul<Exp<Score>, Exp<Neg<Log<Total>>>>>, Mul<KeySum<Exp<Score>>, Exp<Neg<Log<Total>>>>>));
    // A power without a key is no part of the weight.
    EXPECT_TRUE((derives<KeySum<Mul<Score, Exp<Neg<Top>>>>, Mul<KeySum<Score>, Exp<Neg<Top>>>>));
    // Powers of 2 and of e do not meet.
    EXPECT_TRUE((derives<KeySum<Mul<Exp<Score>, Exp2<Score>>>, KeySum<Mul<Exp<Score>, Exp2<Score>>>>));
    // A difference of two great sums that are nearly equal is not made of Σ (s - c)².
    using Off = Sub<Score, Const<7.0>>;
    EXPECT_TRUE((derives<KeySum<Mul<Off, Off>>, KeySum<Mul<Off, Off>>>));
}

TEST(Derive, MaximaLetShiftsGo) {
    EXPECT_TRUE((derives<KeyMax<Sub<Score, Top>>, Add<Top, Neg<Top>>>));
    EXPECT_TRUE((derives<KeyMax<Total>, Total>));  // it is the same for all keys
    EXPECT_TRUE((derives<TwoPass<Total>, TwoPass<Total>>));
}

template <class E, class Term, class Fault>
inline constexpr bool blocks = derives<E, Blocked<Term, Fault>>;

TEST(Derive, BlocksByTheTermThatIsToBlame) {
    using Softmax = Div<Vector, Total>;
    EXPECT_TRUE((blocks<KeySum<Sigmoid<Sub<Score, Top>>>, Sigmoid<Sub<Score, Top>>, NoProduct>));
    EXPECT_TRUE((blocks<KeySum<Exp<Add<Top, Mul<Score, Total>>>>, Mul<Score, Total>, NoProduct>));
    EXPECT_TRUE((blocks<KeyMax<Mul<Score, Top>>, Mul<Score, Top>, NoProduct>));
    EXPECT_TRUE((blocks<KeySum<Tanh<Values>>, Tanh<Values>, InnerValues>));
    EXPECT_TRUE((blocks<KeySum<Exp<Add<Score, Values>>>, Exp<Add<Score, Values>>, InnerValues>));
    EXPECT_TRUE((blocks<KeySum<Mul<Values, Values>>, Mul<Values, Values>, InnerValues>));
    EXPECT_TRUE((blocks<KeySum<Div<Score, Values>>, Div<Const<1.0>, Values>, InnerValues>));
    EXPECT_TRUE((blocks<KeyMax<Mul<Score, Values>>, Mul<Score, Values>, InnerValues>));
    EXPECT_TRUE((blocks<KeySum<Mul<Weight, Softmax>>, Vector, InnerVector>));
    EXPECT_TRUE((blocks<KeySum<Exp<Vector>>, Vector, InnerVector>));
    EXPECT_TRUE((blocks<KeyMax<Vector>, Vector, InnerVector>));
    // TwoPass is right, and stands over the wrong term.
    EXPECT_TRUE((blocks<TwoPass<Score>, Score, OpenTwoPass>));
    EXPECT_TRUE((blocks<TwoPass<Vector>, Vector, OpenTwoPass>));
}

}  // namespace
