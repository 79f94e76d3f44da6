// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

#include <inlay/rewrite/planner/rules/part_of_sum.hpp>

namespace {

using namespace inlay_test;

constexpr std::array<Range, 3> ranges{{{1, 3}, {1, 7}, {1, 5}}};
using X = term_of<std::remove_const_t<decltype(input<0, dim<0>, dim<1>, 6 * dim<2>>)>>;
using Y = term_of<std::remove_const_t<decltype(input<1, dim<0>, dim<1>, 6 * dim<2>>)>>;
using Bias = term_of<std::remove_const_t<decltype(weight<"b", 6 * dim<2>>)>>;
using OfRows = term_of<std::remove_const_t<decltype(input<2, dim<0>, dim<1>, 1>)>>;
using Ragged = inlay::planner::Shape<2, 3, 2>;

template <class A, class B, class P>
int applied() {
    return applications<rules::PartOfSum, Term<P, rules::sum<A, B>>, Ragged>();
}

TEST(PartOfSum, IsTheSumOfParts) {
    expect_equal_sides<rules::PartOfSum, types<X, Y>, types<Part<1, 2>>>(ranges);
    expect_equal_sides<rules::PartOfSum, types<X, Bias>, types<Part<2, 3>>>(ranges);
    expect_equal_sides<rules::PartOfSum, types<Bias, X>, types<Part<0, 3>>>(ranges);
    EXPECT_EQ((applied<X, Bias, Part<1, 2>>()), 1);
}
/// One column for each row has no parts.
TEST(PartOfSum, TakesOperandsOfAsManyColumns) {
    EXPECT_EQ((applied<X, OfRows, Part<1, 2>>()), 0);
    EXPECT_EQ((applied<OfRows, X, Part<1, 2>>()), 0);
    EXPECT_THROW((error_of_sides<rules::PartOfSum, types<X, OfRows>, types<Part<1, 2>>>(Ragged::lengths)),
                 std::invalid_argument);
}

}  // namespace
