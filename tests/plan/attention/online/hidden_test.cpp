// SPDX-License-Identifier: Apache-2.0
#include "softmax_row.hpp"

#include <inlay/expr/print.hpp>
#include <inlay/plan/attention/online/evaluate.hpp>
#include <inlay/plan/attention/online/hidden.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace inlay;
using namespace inlay_test;
using namespace inlay::online;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Numbers of scores, reductions and slots.
struct Leaves {
    double score = 0, maximum = 0, sum = 0, vector = 0;

    double operator()(Score) const { return score; }
    double operator()(SecondScore) const { return score; }
    double operator()(Buf<0>) const { return 1.5; }
    double operator()(Param<0>) const { return 0.75; }
    double operator()(Coord<3>) const { return 2; }
    template <class E>
    double operator()(KeyMax<E>) const {
        return maximum;
    }
    template <class E>
    double operator()(KeySum<E>) const {
        return is_vector<KeySum<E>> ? vector : sum;
    }
};

/// The weight of a hidden key in a row whose maxima are finite.
template <class W>
void expect_hidden(bool expected) {
    EXPECT_EQ(hides_itself<W>, expected) << name<W>();
    EXPECT_EQ((evaluate<W, double>(Leaves{-infinite, 0.5, 2, 3}) == 0), expected) << name<W>();
}
template <class... W>
void expect_hidden_by_themselves() {
    (expect_hidden<W>(true), ...);
}
template <class... W>
void expect_no_zero_by_themselves() {
    (expect_hidden<W>(false), ...);
}
TEST(HiddenKeys, WeightsThatAreZeroThere) {
    expect_hidden_by_themselves<Weight, Exp2<Sub<Score, Top>>, Sigmoid<Score>, Exp<SecondScore>,
                                Exp<Mul<Const<0.5>, Sub<Score, Top>>>, Exp<Mul<Add<Score, Buf<0>>, Const<2.0>>>,
                                Exp<Div<Score, Const<3.0>>>, Sigmoid<Add<Param<0>, Score>>,
                                Exp<Add<Score, SecondScore>>>();
    expect_no_zero_by_themselves<Score, Exp<Neg<Score>>, Exp<Sub<Top, Score>>, Exp<Mul<Const<-0.5>, Score>>,
                                 Exp<Mul<Score, Const<-2.0>>>, Exp<Div<Score, Const<-3.0>>>, Sigmoid<Buf<0>>,
                                 Exp<Sub<Score, SecondScore>>, Exp<Coord<3>>, Exp<Mul<Score, Score>>>();
    // Of a factor at run time nobody has seen the sign.
    EXPECT_FALSE((hides_itself<Exp<Mul<Param<0>, Score>>>));
    // Another number of the key may be +infinity.
    EXPECT_FALSE((hides_itself<Exp<Add<Score, Coord<3>>>>));
}

TEST(HiddenKeys, PositiveWeights) {
    using online::detail::is_positive;
    EXPECT_TRUE((is_positive<Weight> && is_positive<Exp2<Score>> && is_positive<Sigmoid<Score>>));
    EXPECT_TRUE((is_positive<Mul<Weight, Sigmoid<Score>>>));
    EXPECT_FALSE((is_positive<Score> || is_positive<Mul<Weight, Score>> || is_positive<Mul<Score, Weight>> ||
                  is_positive<Tanh<Score>> || is_positive<Neg<Weight>>));
}

/// An output of a row that saw no key.
template <class E>
void expect_zero(bool expected) {
    EXPECT_EQ(online::detail::zero_without_keys<E>, expected) << name<E>();
    EXPECT_EQ((evaluate<E, double>(Leaves{0, -infinite, 0, 0}) == 0), expected) << name<E>();
}
template <class... E>
void expect_zero_without_keys(bool expected) {
    (expect_zero<E>(expected), ...);
}
TEST(RowsWithoutKeys, OutputsThatAreZeroOfThemselves) {
    expect_zero_without_keys<Vector, Total, Mul<Vector, Param<0>>, Mul<Param<0>, Vector>, Div<Vector, Buf<0>>,
                             Add<Vector, Mul<Vector, Param<0>>>, Sub<Vector, Total>, Neg<Vector>>(true);
    expect_zero_without_keys<Div<Vector, Total>, Top, Add<Vector, Buf<0>>, Add<Buf<0>, Vector>, Sub<Vector, Buf<0>>,
                             Sub<Buf<0>, Vector>, Mul<Vector, Top>, Mul<Exp<Neg<Top>>, Vector>,
                             Mul<Param<0>, Top>, Neg<Top>, Div<Vector, Exp<Top>>>(false);
}

/// An output of a row whose sums with V are 0 while its other sum and its maximum are not.
template <class E>
void expect_factor(bool expected) {
    EXPECT_EQ(online::detail::vanishes<E>, expected) << name<E>();
    EXPECT_EQ((evaluate<E, double>(Leaves{0, 0.5, 2, 0}) == 0), expected) << name<E>();
}
template <class... E>
void expect_vanishes(bool expected) {
    (expect_factor<E>(expected), ...);
}
TEST(RowsWithoutKeys, OutputsOfWhichASumWithVIsAFactor) {
    expect_vanishes<Vector, Div<Vector, Total>, Mul<Vector, Top>, Mul<Exp<Neg<Top>>, Vector>,
                    Add<Div<Vector, Total>, Mul<Vector, Param<0>>>, Sub<Vector, Mul<Total, Vector>>,
                    Neg<Div<Vector, Total>>>(true);
    expect_vanishes<Total, Top, Add<Vector, Total>, Add<Buf<0>, Vector>, Sub<Vector, Top>, Sub<Total, Vector>,
                    Neg<Total>, Div<Total, Top>, Mul<Total, Top>, Div<Vector, Vector>>(false);
}

TEST(RowsWithoutKeys, TheSumThatShowsThem) {
    using online::detail::guarding_sum;
    using Second = Exp<Sub<SecondScore, KeyMax<SecondScore>>>;
    using OfScores = KeySum<Score>;
    EXPECT_EQ((guarding_sum<types<Vector>, types<Total>>), 0);
    EXPECT_EQ((guarding_sum<types<Vector>, types<OfScores, Total>>), 1);
    EXPECT_EQ((guarding_sum<types<>, types<KeySum<Second>, Total>>), 0);  // the first
    EXPECT_EQ((guarding_sum<types<Vector>, types<>>), -1);
    // A sum of scores may be 0 in any row.
    EXPECT_EQ((guarding_sum<types<KeySum<Mul<Score, Values>>>, types<OfScores>>), -1);
    // All weights of a sum may underflow while those of another one do not.
    EXPECT_EQ((guarding_sum<types<Vector>, types<KeySum<Second>>>), -1);
    EXPECT_EQ((guarding_sum<types<Vector, KeySum<Mul<Second, Values>>>, types<Total, KeySum<Second>>>), -1);
    // A weight of which the sum's is a factor is 0 where that is, and not one that is divided by it.
    EXPECT_EQ((guarding_sum<types<KeySum<Mul<Mul<Weight, Score>, Values>>>, types<Total>>), 0);
    EXPECT_EQ((guarding_sum<types<KeySum<Mul<Div<Score, Weight>, Values>>>, types<Total>>), -1);
}

}  // namespace
