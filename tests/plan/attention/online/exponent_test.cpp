// SPDX-License-Identifier: Apache-2.0
#include "plain_row.hpp"

#include <inlay/plan/attention/online/exponent.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::online;
using inlay_test::PlainRow;

using Top = KeyMax<Score>;
using Total = KeySum<Exp<Sub<Score, Top>>>;
using LogTotal = Log<Total>;

template <class E, unsigned Kinds, class Expected>
inline constexpr bool part_is = std::is_same_v<part_of<E, Kinds>, Expected>;

TEST(Exponent, AddendsStayAsTheyWereWritten) {
    using E = Sub<Sub<Score, Top>, LogTotal>;
    EXPECT_TRUE((part_is<E, of_key, Score>));
    EXPECT_TRUE((part_is<E, of_maximum, Neg<Top>>));
    EXPECT_TRUE((part_is<E, of_sum, Neg<LogTotal>>));
    EXPECT_TRUE((part_is<E, of_key | of_maximum, Sub<Score, Top>>));
    EXPECT_TRUE((part_is<E, of_key | of_maximum | of_sum, E>));
    EXPECT_TRUE((part_is<Sub<Score, Add<Top, LogTotal>>, of_key | of_maximum, Sub<Score, Top>>));
    EXPECT_TRUE((part_is<Neg<Sub<Top, Score>>, of_key, Neg<Neg<Score>>>));
    EXPECT_TRUE((part_is<Neg<Sub<Top, Score>>, of_maximum, Neg<Top>>));
}

TEST(Exponent, MultiplesByANumberAreTakenApart) {
    using Difference = Sub<Score, Top>;
    EXPECT_TRUE((part_is<Mul<Param<0>, Difference>, of_key, Mul<Param<0>, Score>>));
    EXPECT_TRUE((part_is<Mul<Param<0>, Difference>, of_maximum, Mul<Param<0>, Neg<Top>>>));
    EXPECT_TRUE((part_is<Mul<Difference, Param<0>>, of_key, Mul<Score, Param<0>>>));
    EXPECT_TRUE((part_is<Mul<Difference, Param<0>>, of_sum, void>));
    EXPECT_TRUE((part_is<Mul<Param<0>, Difference>, of_sum, void>));
    EXPECT_TRUE((part_is<Mul<Param<0>, Add<Top, LogTotal>>, of_sum, Mul<Param<0>, LogTotal>>));
    EXPECT_TRUE((part_is<Div<Difference, Const<2.0>>, of_maximum, Div<Neg<Top>, Const<2.0>>>));
    EXPECT_TRUE((part_is<Div<Difference, Const<2.0>>, of_sum, void>));
}

TEST(Exponent, OtherNodesAreOneAddend) {
    EXPECT_TRUE((part_is<Mul<Score, Score>, of_key, Mul<Score, Score>>));
    EXPECT_TRUE((part_is<Max<Top, Buf<0>>, of_maximum, Max<Top, Buf<0>>>));
    EXPECT_TRUE((part_is<Max<Top, Buf<0>>, of_key, void>));
    EXPECT_TRUE((part_is<Buf<0>, of_key, Buf<0>>));  // of nothing at all: it goes with the key
    EXPECT_TRUE((part_is<Add<Top, LogTotal>, of_key, void>));
    EXPECT_TRUE((part_is<Sub<Top, LogTotal>, of_key, void>));
    // A multiple by a sum is one addend, and of the sum, as a sum is not there before the end.
    EXPECT_TRUE((part_is<Mul<Total, Top>, of_sum, Mul<Total, Top>>));
    EXPECT_TRUE((part_is<Mul<Total, Top>, of_maximum, void>));
}

/// An addend that is void is 0.
template <class E>
double value(const PlainRow& row, int key) {
    if constexpr (std::is_void_v<E>) return 0;
    else return row.value<E>(key);
}
template <class E>
void expect_parts_add_up() {
    const PlainRow row;
    for (int key = 0; key < 3; ++key)
        EXPECT_NEAR((value<part_of<E, of_key>>(row, key) + value<part_of<E, of_maximum>>(row, key) +
                     value<part_of<E, of_sum>>(row, key)),
                    row.value<E>(key), 1e-14)
            << key;
}
TEST(Exponent, PartsAddUpToTheWhole) {
    expect_parts_add_up<Sub<Score, Add<Top, LogTotal>>>();
    expect_parts_add_up<Neg<Sub<Add<Top, Buf<0>>, Sub<Score, LogTotal>>>>();
    expect_parts_add_up<Mul<Param<0>, Sub<Div<Sub<Score, Top>, Const<0.5>>, Mul<LogTotal, Param<0>>>>>();
    expect_parts_add_up<Div<Neg<Mul<Sub<Top, Mul<Score, Score>>, Buf<0>>>, Param<0>>>();
}

TEST(Exponent, TheFirstAddendThatJoinsAKeyAndAReduction) {
    using Joined = Mul<Score, Top>;
    EXPECT_TRUE((std::is_void_v<inseparable_addend<Sub<Score, Add<Top, LogTotal>>>>));
    EXPECT_TRUE((std::is_void_v<inseparable_addend<Mul<Param<0>, Neg<Div<Sub<Top, Score>, Const<2.0>>>>>>));
    EXPECT_TRUE((std::is_same_v<inseparable_addend<Joined>, Joined>));
    EXPECT_TRUE((std::is_same_v<inseparable_addend<Add<Score, Sub<Top, Neg<Joined>>>>, Joined>));
    EXPECT_TRUE((std::is_same_v<inseparable_addend<Add<Max<Score, Total>, Joined>>, Max<Score, Total>>));
    EXPECT_TRUE((std::is_same_v<inseparable_addend<Mul<Param<0>, Joined>>, Joined>));
    EXPECT_TRUE((std::is_same_v<inseparable_addend<Mul<Joined, Param<0>>>, Joined>));
    EXPECT_TRUE((std::is_same_v<inseparable_addend<Div<Joined, Const<2.0>>>, Joined>));
    // The divisor is of the row, but no number that is there before the first key.
    EXPECT_TRUE((std::is_same_v<inseparable_addend<Div<Score, Total>>, Div<Score, Total>>));
}

}  // namespace
