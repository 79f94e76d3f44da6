// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

namespace {

using namespace inlay_test;
using inlay::Buf;

template <int I, auto... D>
using In = term_of<std::remove_const_t<decltype(input<I, D...>)>>;
template <Name N, auto... D>
using Given = term_of<std::remove_const_t<decltype(weight<N, D...>)>>;

constexpr std::array<Range, 4> ranges{{{1, 3}, {1, 3}, {1, 7}, {2, 6}}};
using Q = In<0, dim<0>, dim<1>, dim<2>, 4>;
using K = In<1, dim<0>, dim<1>, dim<2>, 4>;
using V = In<2, dim<0>, dim<1>, dim<2>, 4>;
using Counts = In<3, dim<0>, 1, 1, 1>;
using Seen = inlay::mask::If<inlay::Less<inlay::Coord<3>, Buf<3>>>;
using Ragged = inlay::planner::Shape<2, 3, 5, 6>;

TEST(ScaleOfScore, IsTheSameAttention) {
    expect_equal_sides<rules::ScaleOfScore<4, types<>>, types<Q, K, V>>(ranges);
    expect_equal_sides<rules::ScaleOfScore<4, types<>, inlay::score::Scaled, inlay::mask::Causal>, types<Q, K, V>>(
        ranges);
    expect_equal_sides<rules::ScaleOfScore<4, types<egraph::Var<3>>, Seen>, types<Q, K, V, Counts>>(ranges, 2);
    using root = Term<core::Attention<4>, Q, K, V>;
    EXPECT_EQ((applications<rules::ScaleOfScore<4, types<>>, root, Ragged>()), 1);
}
template <class... Option>
inline constexpr int rules_of = rules::score_rules<4, Option...>::size;
TEST(ScaleOfScore, TakesScaledScoresAlone) {
    static_assert(rules_of<> == 4 && rules_of<inlay::mask::Causal> == 4 && rules_of<inlay::score::Scaled> == 4);
    static_assert(rules_of<inlay::score::Base2> == 0);
    static_assert(rules_of<inlay::score::Softcap<inlay::Const<20>>> == 0);
    static_assert(rules_of<inlay::score::Of<inlay::Add<inlay::Out, inlay::Coord<3>>>> == 0);
    static_assert(
        std::is_same_v<rules::detail::binary_options<types<>, inlay::score::Scaled, inlay::mask::Causal>::attention<4>,
                       core::Attention<4, inlay::mask::Causal, inlay::score::Base2>>);
    // Of a score in powers of two already, the factor would come twice.
    using once = rules::ScaleOfScore<4, types<>>;
    const Leaves leaves{Ragged::lengths};
    EXPECT_GT(error_of(interpret<instantiated<once::to, types<Q, K, V>, types<>>::type>(leaves),
                       interpret<Term<core::Attention<4, inlay::score::Base2>, Q, K, V>>(leaves)),
              1e-2);
}

using X = In<0, dim<0>, dim<2>, 4 * dim<1>>;
TEST(ScaleBelowHeads, IsTheSameTensor) {
    using rule = rules::ScaleBelowHeads<4>;
    expect_equal_sides<rule, types<X>>(ranges);
    EXPECT_EQ((applications<rule, instantiated<rule::from, types<X>, types<>>::type, Ragged>()), 1);
    // Only the number: a tensor of each head has no place before the heads.
    using other = rules::times<Term<Heads<4>, X>, In<3, 1, dim<1>, 1, 1>>;
    EXPECT_EQ((applications<rule, other, Ragged>()), 0);
}

using Rows = In<0, dim<0>, dim<2>, dim<3>>;
using W = Given<"w", 12 * dim<1>, dim<3>>;
using B = Given<"b", 12 * dim<1>>;
TEST(ScaleOfColumns, IsTheSameAttention) {
    using plain = rules::ScaleOfColumns<4, false, types<>>;
    using biased = rules::ScaleOfColumns<4, true, types<>>;
    expect_equal_sides<plain, types<Rows, W>>(ranges);
    expect_equal_sides<biased, types<Rows, W, B>>(ranges);
    EXPECT_EQ((applications<plain, instantiated<plain::from, types<Rows, W>, types<>>::type, Ragged>()), 1);
    EXPECT_EQ((applications<biased, instantiated<biased::from, types<Rows, W, B>, types<>>::type, Ragged>()), 1);
    using moving = In<4, 12 * dim<1>, dim<3>>;
    EXPECT_EQ((applications<plain, instantiated<plain::from, types<Rows, moving>, types<>>::type, Ragged>()), 0);
}

}  // namespace
