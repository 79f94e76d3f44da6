// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

namespace {

using namespace inlay_test;
using inlay::Filter;

template <int I, auto... D>
using In = term_of<std::remove_const_t<decltype(input<I, D...>)>>;
template <Name N, auto... D>
using Kernel = term_of<std::remove_const_t<decltype(weight<N, D...>)>>;

// [B, H, W, C] with C = 3 and 4, and filters of 5.
constexpr std::array<Range, 6> ranges{{{1, 2}, {2, 6}, {2, 6}, {1, 5}, {1, 4}, {1, 6}}};
using H = In<0, dim<0>, dim<1>, dim<2>, dim<3>>;
using X = In<1, dim<0>, dim<1>, dim<2>, dim<4>>;
template <int R>
using W = Kernel<"w", dim<5>, dim<3>, R, R>;
using V = Kernel<"v", dim<5>, dim<4>>;
using B = Kernel<"b", dim<5>>;
using C = Kernel<"c", dim<5>>;
using Ragged = inlay::planner::Shape<2, 5, 3, 3, 4, 6>;

TEST(ConvolutionOfOneTap, IsAProduct) {
    using vars = types<H, Kernel<"v", dim<5>, dim<3>, 1, 1>>;
    expect_equal_sides<rules::ConvolutionOfOneTap, vars>(ranges);
    using from = instantiated<rules::ConvolutionOfOneTap::from, vars, types<>>::type;
    EXPECT_EQ((applications<rules::ConvolutionOfOneTap, from, Ragged>()), 1);
    using moving = Term<core::Conv2D<Filter<1>>, H, In<2, 6, dim<3>, 1, 1>>;
    EXPECT_EQ((applications<rules::ConvolutionOfOneTap, moving, Ragged>()), 0);
}

template <class Window, bool First, class Vars>
using shortcut_of = typename instantiated<typename rules::ShortcutInColumns<Window, First>::from, Vars, types<>>::type;

TEST(ShortcutInColumns, IsTheSameSum) {
    expect_equal_sides<rules::ShortcutInColumns<Filter<3>, true>, types<H, W<3>, X, V>>(ranges);
    expect_equal_sides<rules::ShortcutInColumns<Filter<3>, false>, types<H, W<3>, X, V>>(ranges);
    expect_equal_sides<rules::ShortcutInColumns<Filter<5>, true>, types<H, W<5>, X, V>>(ranges);
    EXPECT_EQ((applications<rules::ShortcutInColumns<Filter<3>, true>,
                            shortcut_of<Filter<3>, true, types<H, W<3>, X, V>>, Ragged>()),
              1);
}
TEST(ShortcutInColumns, TakesWindowsThatKeepTheImage) {
    static_assert(rules::detail::keeps_size<Filter<5>> && !rules::detail::keeps_size<Filter<3, 3, 2>>);
    static_assert(!rules::detail::keeps_size<Filter<3, 5>> && !rules::detail::keeps_size<Filter<3, 3, 1, 0>>);
    // Of stride 2, and without padding, the patches are of other pixels.
    using strided = Filter<3, 3, 2>;
    using small = In<1, dim<0>, 3, 2, dim<4>>;
    using vars = types<H, W<3>, small, V>;
    EXPECT_EQ((applications<rules::ShortcutInColumns<strided, true>, shortcut_of<strided, true, vars>, Ragged>()), 0);
    EXPECT_THROW((error_of_sides<rules::ShortcutInColumns<strided, true>, vars>(Ragged::lengths)),
                 std::invalid_argument);
    using bare = Filter<3, 3, 1, 0>;
    using inner = types<H, W<3>, In<1, dim<0>, 3, 1, dim<4>>, V>;
    EXPECT_EQ((applications<rules::ShortcutInColumns<bare, true>, shortcut_of<bare, true, inner>, Ragged>()), 0);
    using depthwise = Filter<3, 3, 1, 1, 1, 1, 3>;
    using own = types<H, Kernel<"w", 3, 1, 3, 3>, X, Kernel<"v", 3, dim<4>>>;
    EXPECT_EQ((applications<rules::ShortcutInColumns<depthwise, true>, shortcut_of<depthwise, true, own>, Ragged>()),
              0);
}
/// A product of the time embedding is added to all pixels.
TEST(ShortcutInColumns, TakesAProductOfEachPixel) {
    using rule = rules::ShortcutInColumns<Filter<3>, true>;
    using vars = types<H, W<3>, In<1, dim<0>, 1, 1, dim<4>>, V>;
    EXPECT_EQ((applications<rule, shortcut_of<Filter<3>, true, vars>, Ragged>()), 0);
    EXPECT_THROW((error_of_sides<rule, vars>(Ragged::lengths)), std::invalid_argument);
    // In a plan for one pixel both look alike.
    EXPECT_EQ((applications<rule, shortcut_of<Filter<3>, true, vars>, inlay::planner::Shape<2, 1, 1, 3, 4, 6>>()), 0);
}

template <bool First, bool Second, class P, class Q, class Y = B>
using biased = typename instantiated<typename rules::ShortcutBiases<Filter<3>, First, Second>::from, types<P, Y, Q, C>,
                                     types<>>::type;
using Conv = Term<core::Conv2D<Filter<3>>, H, W<3>>;
using Short = rules::linear<X, V>;

TEST(ShortcutBiases, AreOneSum) {
    expect_equal_sides<rules::ShortcutBiases<Filter<3>, true, true>, types<Conv, B, Short, C>>(ranges);
    expect_equal_sides<rules::ShortcutBiases<Filter<3>, true, false>, types<Conv, B, Short, C>>(ranges);
    expect_equal_sides<rules::ShortcutBiases<Filter<3>, false, true>, types<Conv, B, Short, C>>(ranges);
}
template <class Root>
void expect_joined(int expected) {
    const auto n = apply_rules<rules::shortcut_rules<Filter<3>>, Root, Ragged>();
    EXPECT_EQ(n.applied[0] + n.applied[1], expected);
}
TEST(ShortcutBiases, LeadToOneProduct) {
    expect_joined<biased<true, true, Conv, Short>>(1);
    expect_joined<biased<true, true, Short, Conv>>(1);
    expect_joined<biased<true, false, Conv, Short>>(1);
    expect_joined<biased<true, false, Short, Conv>>(1);
    expect_joined<biased<false, true, Conv, Short>>(1);
    expect_joined<biased<false, true, Short, Conv>>(1);
}
TEST(ShortcutBiases, AreNotMovedElsewhere) {
    using both = rules::ShortcutBiases<Filter<3>, true, true>;
    // Two convolutions; and a bias that is no vector of the channels but a residual.
    using second = Term<core::Conv2D<Filter<3>>, H, Kernel<"w2", dim<5>, dim<3>, 3, 3>>;
    using third = rules::linear<X, Kernel<"v2", dim<5>, dim<4>>>;
    using two = rules::sum<biased<true, true, Conv, second>, third>;
    EXPECT_EQ((applications<both, two, Ragged>()), 0);
    using residual = In<3, dim<0>, dim<1>, dim<2>, dim<5>>;
    EXPECT_EQ((applications<both, biased<true, true, Conv, Short, residual>, Ragged>()), 0);
    EXPECT_EQ((applications<both, biased<true, true, Conv, Short>, Ragged>()), 1);
}

}  // namespace
