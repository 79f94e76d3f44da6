// SPDX-License-Identifier: Apache-2.0
/// The form that an attention hands to its target: each option of the frame at its place in it.
#include <inlay/frame/attention.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

template <class A, class B>
inline constexpr bool same = std::is_same_v<A, B>;

template <class... Options>
using form_of = typename Attention<16, Buf<0>, Buf<1>, Buf<2>, Options...>::form;

// Softmax of Q·K / √16 over all keys.
TEST(AttentionForm, WithoutOptions) {
    using F = form_of<>;
    using P = Exp<Sub<Score, KeyMax<Score>>>;
    EXPECT_EQ(F::d, 16);
    EXPECT_EQ(F::dv, 16);
    EXPECT_TRUE((same<F::condition, Const<1>>));
    EXPECT_TRUE((same<F::score, Mul<Out, Const<0.25>>>));
    EXPECT_TRUE((same<F::output, Div<KeySum<Mul<P, Values>>, KeySum<P>>>));
    EXPECT_TRUE((same<F::number, NoRowStore>));
    EXPECT_TRUE((same<F::number::number, void>));
}

TEST(AttentionForm, OfOptionsInAnyOrder) {
    using Distance = Sub<Out, Mul<Param<0>, Sub<QueryPosition, Coord<3>>>>;
    using Linear = KeySum<Mul<Score, Values>>;
    using F = form_of<RowStore<1, KeyMax<Score>>, row::Of<Linear>, ValueColumns<24>, score::Of<Distance>,
                      mask::If<Less<Coord<3>, Param<1>>>>;
    EXPECT_EQ(F::d, 16);
    EXPECT_EQ(F::dv, 24);
    EXPECT_TRUE((same<F::condition, Less<Coord<3>, Param<1>>>));
    EXPECT_TRUE((same<F::score, Distance>));
    EXPECT_TRUE((same<F::output, Linear>));
    EXPECT_TRUE((same<F::number::number, KeyMax<Score>>));
    EXPECT_EQ(F::number::row_slot, 1);
}

// Attentions of one mathematics have one form, and so one algebra and the same kernels.
TEST(AttentionForm, IsOneTypeForOneMathematics) {
    EXPECT_TRUE((same<form_of<>, form_of<mask::Full, score::Scaled, row::Softmax>>));
    EXPECT_TRUE((same<form_of<>, form_of<ValueColumns<16>>>));
    EXPECT_TRUE((same<form_of<mask::Causal>, form_of<mask::If<LessEqual<Coord<3>, QueryPosition>>>>));
    EXPECT_FALSE((same<form_of<>, form_of<mask::Causal>>));
    EXPECT_FALSE((same<form_of<RowStore<1, KeyMax<Score>>>, form_of<RowStore<2, KeyMax<Score>>>>));
}

// Powers of 2 in the score are powers of 2 in the row.
TEST(AttentionForm, TheRowFollowsTheBaseOfTheScore) {
    using F = form_of<score::Base2>;
    using P = Exp2<Sub<Score, KeyMax<Score>>>;
    EXPECT_TRUE((same<F::score, Out>));
    EXPECT_TRUE((same<F::output, Div<KeySum<Mul<P, Values>>, KeySum<P>>>));
}

}  // namespace
