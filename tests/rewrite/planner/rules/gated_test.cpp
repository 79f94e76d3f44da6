// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

namespace {

using namespace inlay_test;

using X = term_of<std::remove_const_t<decltype(input<0, dim<0>, dim<1>, dim<2>>)>>;
template <Name N, auto... D>
using Kernel = term_of<std::remove_const_t<decltype(weight<N, D...>)>>;

constexpr std::array<Range, 4> ranges{{{1, 2}, {1, 4}, {1, 6}, {1, 5}}};
using W = Kernel<"w", 2 * dim<3>, dim<2>>;
using B = Kernel<"b", 2 * dim<3>>;
using Ragged = inlay::planner::Shape<2, 3, 5, 4>;

template <int I, class Vars>
using half_of = typename instantiated<typename rules::HalfOfBiased<I>::from, Vars, types<>>::type;

TEST(HalfOfBiased, IsTheHalfOfBoth) {
    expect_equal_sides<rules::HalfOfBiased<0>, types<X, W, B>>(ranges);
    expect_equal_sides<rules::HalfOfBiased<1>, types<X, W, B>>(ranges);
    EXPECT_EQ((applications<rules::HalfOfBiased<0>, half_of<0, types<X, W, B>>, Ragged>()), 1);
    EXPECT_EQ((applications<rules::HalfOfBiased<1>, half_of<1, types<X, W, B>>, Ragged>()), 1);
}
TEST(HalfOfBiased, TakesABiasOfEachColumnThatIsKnownAtLoad) {
    using one = Kernel<"b", 1>;
    EXPECT_EQ((applications<rules::HalfOfBiased<0>, half_of<0, types<X, W, one>>, Ragged>()), 0);
    using moving = term_of<std::remove_const_t<decltype(input<1, 2 * dim<3>>)>>;
    EXPECT_EQ((applications<rules::HalfOfBiased<0>, half_of<0, types<X, W, moving>>, Ragged>()), 0);
}

}  // namespace
