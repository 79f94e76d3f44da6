// SPDX-License-Identifier: Apache-2.0
/// The algebra of an attention: the instances that engines have faster kernels for are told apart from all others.
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/algebra.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

template <class... Options>
using algebra = AttentionAlgebra<typename Attention<64, Buf<0>, Buf<1>, Buf<2>, Options...>::form>;

TEST(AttentionAlgebra, IsSoftmax) {
    EXPECT_TRUE(algebra<>::softmax);
    EXPECT_TRUE(algebra<score::Softcap<Const<20>>>::softmax);
    EXPECT_TRUE(algebra<score::Base2>::softmax && algebra<score::Base2>::binary);
    EXPECT_TRUE((algebra<RowStore<1, row::LogSumExp>>::softmax));
    EXPECT_FALSE(algebra<row::SoftmaxPlusOne>::softmax);
    EXPECT_TRUE(algebra<row::SoftmaxPlusOne>::softmax_state);
    EXPECT_FALSE(algebra<row::Sink<Buf<3>>>::softmax);
    EXPECT_FALSE(algebra<row::Sigmoid>::softmax || algebra<row::Sigmoid>::softmax_state);
    EXPECT_FALSE(algebra<row::Linear>::softmax || algebra<row::Linear>::binary);
}
TEST(AttentionAlgebra, ScalesOut) {
    EXPECT_DOUBLE_EQ(algebra<>::scale, 0.125);
    EXPECT_TRUE((algebra<score::Of<Div<Out, Const<3.0>>>>::scales_out));
    EXPECT_FALSE(algebra<score::Of<Neg<Out>>>::scales_out || algebra<score::Softcap<Const<20>>>::scales_out);
}
TEST(AttentionAlgebra, ConditionsOfAScoreJoinTheMask) {
    using hiding = score::Of<Where<Less<Coord<3>, Const<9.0>>, Out, HiddenScore>>;
    EXPECT_TRUE(algebra<>::every_key);
    EXPECT_TRUE((std::is_same_v<algebra<hiding>::condition, Less<Coord<3>, Const<9.0>>>));
    EXPECT_TRUE((std::is_same_v<algebra<hiding>::score, Out>));
    EXPECT_TRUE((std::is_same_v<algebra<hiding, mask::Causal>::condition,
                                And<mask::Causal::condition, Less<Coord<3>, Const<9.0>>>>));
}
TEST(AttentionAlgebra, TermsOverTheProductStayInTheScore) {
    using Early = Less<Coord<3>, Const<9.0>>;
    using Positive = Greater<Out, Const<0.0>>;
    using masked = algebra<score::Of<Out>, mask::If<And<And<Early, Positive>, mask::Causal::condition>>>;
    EXPECT_TRUE((std::is_same_v<masked::condition, And<Early, mask::Causal::condition>>));
    EXPECT_TRUE((std::is_same_v<masked::score, Where<Positive, Out, HiddenScore>>));
    using hiding = algebra<score::Of<Where<And<Positive, Early>, Out, HiddenScore>>, mask::Causal>;
    EXPECT_TRUE((std::is_same_v<hiding::condition, And<mask::Causal::condition, Early>>));
    EXPECT_TRUE((std::is_same_v<hiding::score, Where<Positive, Out, HiddenScore>>));
    using either = algebra<score::Of<Out>, mask::If<Or<Early, Positive>>>;
    EXPECT_TRUE(either::every_key);
}

}  // namespace
