// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

namespace {

using namespace inlay_test;
using inlay::Buf;

using X = term_of<std::remove_const_t<decltype(input<0, dim<0>, dim<1>, dim<2>>)>>;
using Text = term_of<std::remove_const_t<decltype(input<1, dim<0>, dim<4>, dim<5>>)>>;
using Counts = term_of<std::remove_const_t<decltype(input<2, dim<0>, 1, 1, 1>)>>;
template <Name N, auto Rows, auto Columns>
using Matrix = term_of<std::remove_const_t<decltype(weight<N, Rows, Columns>)>>;
template <Name N>
using Projection = Matrix<N, 4 * dim<3>, dim<2>>;
template <Name N>
using Bias = term_of<std::remove_const_t<decltype(weight<N, 4 * dim<3>>)>>;
constexpr std::array<Range, 6> ranges{{{1, 3}, {1, 7}, {2, 9}, {1, 3}, {1, 5}, {2, 6}}};

using Seen = inlay::mask::If<inlay::Less<inlay::Coord<3>, Buf<3>>>;
using attention_symbols = types<core::Attention<4>, Heads<4>>;
using masked_symbols = types<core::Attention<4, Seen>, Heads<4>>;

using QueryKeyValue =
    types<X, Projection<"q">, Projection<"k">, Projection<"v">, Bias<"bq">, Bias<"bk">, Bias<"bv">, Counts>;

TEST(JoinQueryKeyValue, IsTheSameAttention) {
    expect_equal_sides<rules::JoinQueryKeyValue<false>, QueryKeyValue, attention_symbols>(ranges);
    expect_equal_sides<rules::JoinQueryKeyValue<true>, QueryKeyValue, attention_symbols>(ranges);
    expect_equal_sides<rules::JoinQueryKeyValue<true, egraph::Var<7>>, QueryKeyValue, masked_symbols>(ranges, 2);
    expect_equal_sides<rules::JoinQueryKeyValue<false, egraph::Var<7>>, QueryKeyValue, masked_symbols>(ranges, 2);
}

template <class Q, class K, class V>
using attend = Term<core::Attention<4>, Term<Heads<4>, rules::linear<X, Q>>, Term<Heads<4>, rules::linear<X, K>>,
                    Term<Heads<4>, rules::linear<X, V>>>;
using Ragged = inlay::planner::Shape<2, 5, 7, 3, 4, 6>;

TEST(JoinQueryKeyValue, TakesWeightsOfAsManyRows) {
    using rule = rules::JoinQueryKeyValue<false>;
    EXPECT_EQ((applications<rule, attend<Projection<"q">, Projection<"k">, Projection<"v">>, Ragged>()), 1);
    // Grouped queries: keys of one head for three.
    using key = Matrix<"k", 4, dim<2>>;
    using value = Matrix<"v", 4, dim<2>>;
    EXPECT_EQ((applications<rule, attend<Projection<"q">, key, value>, Ragged>()), 0);
    // Equal parts of 16 + 4 + 4 rows are 8 wide.
    EXPECT_GT((error_of_sides<rule, types<X, Matrix<"q", 16, dim<2>>, key, value>, attention_symbols>(Ragged::lengths)),
              1);
}
TEST(JoinQueryKeyValue, TakesWeightsThatAreKnownAtLoad) {
    using key = term_of<std::remove_const_t<decltype(input<3, 4 * dim<3>, dim<2>>)>>;
    EXPECT_EQ((applications<rules::JoinQueryKeyValue<false>, attend<Projection<"q">, key, Projection<"v">>, Ragged>()),
              0);
}

using KeyValue = types<Text, Matrix<"k", 4 * dim<3>, dim<5>>, Matrix<"v", 4 * dim<3>, dim<5>>, Counts, Bias<"bk">,
                       Bias<"bv">, void, Term<Heads<4>, rules::linear<X, Projection<"q">>>>;

TEST(JoinKeyValue, IsTheSameAttention) {
    expect_equal_sides<rules::JoinKeyValue<false>, KeyValue, attention_symbols>(ranges);
    expect_equal_sides<rules::JoinKeyValue<true>, KeyValue, attention_symbols>(ranges);
    expect_equal_sides<rules::JoinKeyValue<false, egraph::Var<3>>, KeyValue, masked_symbols>(ranges, 2);
    expect_equal_sides<rules::JoinKeyValue<true, egraph::Var<3>>, KeyValue, masked_symbols>(ranges, 2);
}
TEST(JoinKeyValue, TakesCrossAttentionAlone) {
    using rule = rules::JoinKeyValue<false>;
    using cross = typename instantiated<rule::from, KeyValue, attention_symbols>::type;
    EXPECT_EQ((applications<rule, cross, Ragged>()), 1);
    EXPECT_EQ((applications<rule, attend<Projection<"q">, Projection<"k">, Projection<"v">>, Ragged>()), 0);
}

TEST(JoinGated, IsTheSameProduct) {
    using vars = types<X, Matrix<"w", dim<3>, dim<2>>, Matrix<"v", dim<3>, dim<2>>>;
    using silu = types<Expression<inlay::Silu<Buf<0>>>>;
    expect_equal_sides<rules::JoinGated<true>, vars, silu>(ranges);
    expect_equal_sides<rules::JoinGated<false>, vars, silu>(ranges);
    using gated = typename instantiated<rules::JoinGated<true>::from, vars, silu>::type;
    EXPECT_EQ((applications<rules::JoinGated<true>, gated, Ragged>()), 1);
    // A vector gates a matrix: the parts would not be equal.
    using one = types<X, Matrix<"w", 1, dim<2>>, Matrix<"v", dim<3>, dim<2>>>;
    using by_one = typename instantiated<rules::JoinGated<true>::from, one, silu>::type;
    EXPECT_EQ((applications<rules::JoinGated<true>, by_one, Ragged>()), 0);
}

template <int I, int N, bool Biased>
void expect_part() {
    expect_equal_sides<rules::PartOfJoined<I, N, Biased>, QueryKeyValue>(ranges);
}
TEST(PartOfJoined, IsTheProductThatItWas) {
    expect_part<0, 3, false>(), expect_part<1, 3, false>(), expect_part<2, 3, false>();
    expect_part<0, 3, true>(), expect_part<1, 3, true>(), expect_part<2, 3, true>();
    expect_part<0, 2, false>(), expect_part<1, 2, false>();
    expect_part<0, 2, true>(), expect_part<1, 2, true>();
}

}  // namespace
