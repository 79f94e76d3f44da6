// SPDX-License-Identifier: Apache-2.0
#include "softmax_row.hpp"

#include <inlay/expr/view/broadcast.hpp>
#include <inlay/plan/attention/online/dependence.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;
using namespace inlay::online;

TEST(RowDependence, OfLeaves) {
    EXPECT_EQ(dependence<Score>, on_key);
    EXPECT_EQ(dependence<SecondScore>, on_key);
    EXPECT_EQ(dependence<Values>, on_key | on_values);
    // Coordinates of a score are [batch, head, query, key].
    EXPECT_EQ(dependence<Coord<3>>, on_key);
    EXPECT_EQ(dependence<Coord<-1>>, on_key);
    EXPECT_EQ(dependence<Coord<2>>, 0u);
    EXPECT_EQ(dependence<Coord<-2>>, 0u);
    EXPECT_EQ(dependence<Buf<0>>, 0u);
    EXPECT_EQ(dependence<Param<0>>, 0u);
    EXPECT_EQ(dependence<Const<2.0>>, 0u);
}

// A reduction has read its keys: what stands in it shows only as V does, by which a sum is a vector.
TEST(RowDependence, OfReductions) {
    EXPECT_EQ(dependence<Top>, on_maximum);
    EXPECT_EQ(dependence<Total>, on_sum);
    EXPECT_EQ(dependence<Vector>, on_sum | on_vector);
    EXPECT_EQ(dependence<TwoPass<Total>>, 0u);
    EXPECT_EQ(dependence<KeySum<Const<1.0>>>, on_sum);
}

TEST(RowDependence, OperationsHaveThatOfAllTheirOperands) {
    EXPECT_EQ(dependence<Weight>, on_key | on_maximum);
    EXPECT_EQ((dependence<Mul<Weight, Values>>), on_key | on_values | on_maximum);
    EXPECT_EQ((dependence<Div<Vector, Add<Total, Exp<Neg<Top>>>>>), on_sum | on_vector | on_maximum);
    EXPECT_EQ((dependence<Sub<Score, TwoPass<Top>>>), on_key);
    EXPECT_EQ((dependence<Max<Buf<0>, Param<0>>>), 0u);
}

TEST(RowDependence, Names) {
    EXPECT_TRUE(reads_key<Weight> && reads_key<Values> && !reads_key<Top> && !reads_key<Vector>);
    EXPECT_TRUE((reads_values<Mul<Score, Values>> && !reads_values<Score> && !reads_values<Vector>));
    EXPECT_TRUE(holds_reduction<Top> && holds_reduction<Total> && holds_reduction<Weight>);
    EXPECT_TRUE((!holds_reduction<Score> && !holds_reduction<TwoPass<Total>>));
    EXPECT_TRUE(holds_sum<Total> && holds_sum<Log<Total>> && !holds_sum<Top> && !holds_sum<Weight>);
    EXPECT_TRUE((is_vector<Vector> && is_vector<Div<Vector, Total>> && !is_vector<Total> && !is_vector<Values>));
    EXPECT_TRUE((is_mixed<Weight> && is_mixed<Mul<Score, Total>> && is_mixed<Mul<Values, Total>>));
    EXPECT_TRUE((!is_mixed<Score> && !is_mixed<Add<Top, Total>> && !is_mixed<Param<0>>));
}

/// Each score replaced by 3.
template <class E>
struct at_three : online::detail::rebuilt<E, at_three> {};
template <>
struct at_three<Score> {
    using type = Const<3.0>;
};
template <class E, class Expected>
inline constexpr bool becomes = std::is_same_v<typename at_three<E>::type, Expected>;

TEST(RowDependence, NodesAreRebuiltOfOtherOperands) {
    EXPECT_TRUE((becomes<Values, Values>));
    EXPECT_TRUE((becomes<Mul<Add<Score, Param<0>>, Exp<Neg<Score>>>,
                         Mul<Add<Const<3.0>, Param<0>>, Exp<Neg<Const<3.0>>>>>));
    EXPECT_TRUE((becomes<Div<KeySum<Score>, KeyMax<Mul<Score, Score>>>,
                         Div<KeySum<Const<3.0>>, KeyMax<Mul<Const<3.0>, Const<3.0>>>>>));
    EXPECT_TRUE((becomes<Cast<Score, fp16>, Cast<Const<3.0>, fp16>>));  // a type is no operand
    EXPECT_TRUE((becomes<Add<Broadcast<Score, Buf<0>>, Score>, Add<Broadcast<Score, Buf<0>>, Const<3.0>>>));
}

}  // namespace
