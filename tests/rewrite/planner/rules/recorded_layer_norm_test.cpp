// SPDX-License-Identifier: Apache-2.0
#include <inlay/rewrite/planner/rules/recorded_layer_norm.hpp>

#include "case.hpp"

#include "../interpret_records.hpp"

namespace {

using namespace inlay_test;

template <Name N, auto... D>
using Given = term_of<std::remove_const_t<decltype(weight<N, D...>)>>;
template <int I, auto... D>
using Moving = term_of<std::remove_const_t<decltype(input<I, D...>)>>;
template <class Rule, class Vars>
using left_of = typename instantiated<typename Rule::from, Vars, types<>>::type;

// 32, 48 or 64 columns: one part, two of 24, and three of which the last has fewer.
constexpr auto c = 16 * dim<2>;
constexpr std::array<Range, 4> ranges{{{1, 3}, {1, 5}, {2, 4}, {1, 4}}};
using X = Moving<0, dim<0>, dim<1>, c>;
using Records = Term<RowRecords, X>;
using W = Given<"w", 2 * dim<3>, c>;
using Gamma = Given<"gamma", c>;
using Beta = Given<"beta", c>;
using Bias = Given<"b", 2 * dim<3>>;
using vars = types<X, Gamma, Beta, W, Records, Bias>;
using Ragged = inlay::planner::Shape<2, 3, 4, 5>;

using whole = rules::FoldRecordedLayerNorm<1e-5>;
template <int I>
using half = rules::HalfOfRecordedLayerNorm<1e-5, I>;

TEST(FoldRecordedLayerNorm, IsExactInDouble) {
    expect_equal_sides<whole, vars>(ranges);
    expect_equal_sides<rules::FoldRecordedLayerNorm<1e-2>, vars>(ranges);
    EXPECT_EQ((applications<whole, left_of<whole, vars>, Ragged>()), 1);
}
/// The product of the raw rows is as large as the mean, so what is left of it has as many digits less.
TEST(FoldRecordedLayerNorm, HoldsForLargeMeans) {
    expect_equal_sides<whole, vars>(ranges, 1e3, 1e-10);
    expect_equal_sides<whole, vars>(ranges, 1e6, 1e-6);
}
/// Sides are compared by what the records say: those of other rows make another value.
TEST(FoldRecordedLayerNorm, ReadsItsStatisticsFromTheRecords) {
    using other = types<X, Gamma, Beta, W, Term<RowRecords, Moving<1, dim<0>, dim<1>, c>>>;
    EXPECT_GT((error_of_sides<whole, other>(Ragged::lengths)), 0.01);
}
TEST(FoldRecordedLayerNorm, IsOfWeights) {
    using product = Moving<1, 2 * dim<3>, c>;
    using vector = Moving<2, c>;
    EXPECT_EQ((applications<whole, left_of<whole, types<X, Gamma, Beta, product, Records>>, Ragged>()), 0);
    EXPECT_EQ((applications<whole, left_of<whole, types<X, vector, Beta, W, Records>>, Ragged>()), 0);
    EXPECT_EQ((applications<whole, left_of<whole, types<X, Gamma, vector, W, Records>>, Ragged>()), 0);
}
/// Without records there is nothing to read: that norm is `FoldLayerNorm`'s.
TEST(FoldRecordedLayerNorm, IsOfRecordedRows) {
    using norm = Term<core::LayerNorm<1e-5>, X, Gamma, Beta>;
    EXPECT_EQ((applications<whole, rules::linear<norm, W>, Ragged>()), 0);
}
/// Q, K and V of normalised rows are folded as one product.
TEST(FoldRecordedLayerNorm, LeavesPartsOfAJoinedProduct) {
    using norm = Term<core::LayerNorm<1e-5>, Term<Recorded, X, Records>, Gamma, Beta>;
    using root = Term<core::Attention<4>, Term<Heads<4>, rules::linear<norm, Given<"q", 8, c>>>,
                      Term<Heads<4>, rules::linear<norm, Given<"k", 8, c>>>,
                      Term<Heads<4>, rules::linear<norm, Given<"v", 8, c>>>>;
    using all = types<rules::JoinQueryKeyValue<false>, rules::PartOfJoined<0, 3, false>,
                      rules::PartOfJoined<1, 3, false>, rules::PartOfJoined<2, 3, false>, whole>;
    const auto n = apply_rules<all, root, Ragged>();
    EXPECT_EQ(n.applied[0], 1);
    EXPECT_EQ(n.applied[4], 1);
}

TEST(HalfOfRecordedLayerNorm, IsExactInDouble) {
    expect_equal_sides<half<0>, vars>(ranges);
    expect_equal_sides<half<1>, vars>(ranges);
    expect_equal_sides<half<1>, vars>(ranges, 1e3, 1e-10);
    EXPECT_EQ((applications<half<0>, left_of<half<0>, vars>, Ragged>()), 1);
    EXPECT_EQ((applications<half<1>, left_of<half<1>, vars>, Ragged>()), 1);
}
TEST(HalfOfRecordedLayerNorm, TakesABiasOfEachColumnThatIsKnownAtLoad) {
    using one = types<X, Gamma, Beta, W, Records, Given<"b", 1>>;
    using moving = types<X, Gamma, Beta, W, Records, Moving<1, 2 * dim<3>>>;
    EXPECT_EQ((applications<half<0>, left_of<half<0>, one>, Ragged>()), 0);
    EXPECT_EQ((applications<half<0>, left_of<half<0>, moving>, Ragged>()), 0);
    using product = types<X, Gamma, Beta, Moving<1, 2 * dim<3>, c>, Records, Bias>;
    EXPECT_EQ((applications<half<0>, left_of<half<0>, product>, Ragged>()), 0);
}
TEST(HalfOfRecordedLayerNorm, IsOfAnEvenNumberOfColumns) {
    using odd = types<X, Gamma, Beta, Given<"w", dim<3>, c>, Records, Given<"b", dim<3>>>;
    EXPECT_EQ((applications<half<0>, left_of<half<0>, odd>, Ragged>()), 0);
}

/// Both halves of a gated product and the whole: what a plan of a recorded feed-forward layer reads.
TEST(RecordedRules, FoldTheHalvesOfAGatedProduct) {
    using norm = Term<core::LayerNorm<1e-5>, Term<Recorded, X, Records>, Gamma, Beta>;
    using wide = rules::sum<rules::linear<norm, W>, Bias>;
    using root = rules::times<rules::part<0, 2, wide>, rules::part<1, 2, wide>>;
    const auto n = apply_rules<rules::recorded_rules<>, root, Ragged>();
    EXPECT_EQ(n.applied[0], 1);
    EXPECT_EQ(n.applied[1], 1);
    EXPECT_EQ(n.applied[2], 1);
}

}  // namespace
