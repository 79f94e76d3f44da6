// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

namespace {

using namespace inlay_test;
using inlay::Buf;
using inlay::Filter;

constexpr std::array<Range, 5> ranges{{{1, 2}, {1, 5}, {1, 5}, {1, 4}, {1, 4}}};
using X = term_of<std::remove_const_t<decltype(input<0, dim<0>, dim<1>, dim<2>, dim<3>>)>>;
using W = term_of<std::remove_const_t<decltype(weight<"w", dim<4>, dim<3>, 3, 3>)>>;
using Ragged = inlay::planner::Shape<2, 3, 4, 3, 2>;
using rule = rules::UpsampleByPhases<-3, -2>;

template <class Window, class Up, class Weight = W>
using upsampled = Term<core::Conv2D<Window>, Term<Expression<Up>, X>, Weight>;

TEST(UpsampleByPhases, IsTheSameImage) {
    expect_equal_sides<rule, types<X, W>>(ranges);
    expect_equal_sides<rules::UpsampleByPhases<1, 2>, types<X, W>>(ranges);
    EXPECT_EQ((applications<rule, upsampled<Filter<3>, inlay::Upsample2x<Buf<0>>>, Ragged>()), 1);
}
TEST(UpsampleByPhases, TakesTheWindowFactorAndAxesThatItIsFor) {
    EXPECT_EQ((applications<rule, upsampled<Filter<3, 3, 2>, inlay::Upsample2x<Buf<0>>>, Ragged>()), 0);
    EXPECT_EQ((applications<rule, upsampled<Filter<3>, inlay::Upsample<Buf<0>, 3, -3, -2>>, Ragged>()), 0);
    EXPECT_EQ((applications<rule, upsampled<Filter<3>, inlay::Upsample<Buf<0>, 2, -3>>, Ragged>()), 0);
    EXPECT_EQ((applications<rule, upsampled<Filter<3, 3, 1, 0>, inlay::Upsample2x<Buf<0>>>, Ragged>()), 0);
    using moving = term_of<std::remove_const_t<decltype(input<1, dim<4>, dim<3>, 3, 3>)>>;
    EXPECT_EQ((applications<rule, upsampled<Filter<3>, inlay::Upsample2x<Buf<0>>, moving>, Ragged>()), 0);
    // By phases, an image upsampled along its rows alone would be another.
    const Leaves leaves{Ragged::lengths};
    EXPECT_GT(error_of(interpret<instantiated<rule::to, types<X, W>, types<>>::type>(leaves),
                       interpret<upsampled<Filter<3>, inlay::Upsample<Buf<0>, 2, -3>>>(leaves)),
              0.1);
}

}  // namespace
