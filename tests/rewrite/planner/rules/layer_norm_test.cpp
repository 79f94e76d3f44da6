// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

namespace {

using namespace inlay_test;

template <Name N, auto... D>
using Given = term_of<std::remove_const_t<decltype(weight<N, D...>)>>;
constexpr std::array<Range, 4> ranges{{{1, 3}, {1, 7}, {2, 19}, {1, 9}}};
using X = term_of<std::remove_const_t<decltype(input<0, dim<0>, dim<1>, dim<2>>)>>;
using W = Given<"w", dim<3>, dim<2>>;
using Gamma = Given<"gamma", dim<2>>;
using Beta = Given<"beta", dim<2>>;
using rule = rules::FoldLayerNorm<1e-5>;
using vars = types<X, Gamma, Beta, W>;
using Ragged = inlay::planner::Shape<2, 3, 13, 5>;

TEST(FoldLayerNorm, IsExactInDouble) {
    expect_equal_sides<rule, vars>(ranges);
    expect_equal_sides<rules::FoldLayerNorm<1e-2>, vars>(ranges);
}
/// The product of the raw rows is as large as the mean, so what is left of it has as many digits less.
TEST(FoldLayerNorm, HoldsForLargeMeans) {
    expect_equal_sides<rule, vars>(ranges, 1e3, 1e-10);
    expect_equal_sides<rule, vars>(ranges, 1e6, 1e-6);
}
TEST(FoldLayerNorm, IsOfWeights) {
    EXPECT_EQ((applications<rule, instantiated<rule::from, vars, types<>>::type, Ragged>()), 1);
    // Two inputs multiplied, of which one is normalised: there is no weight to fold into.
    using other = term_of<std::remove_const_t<decltype(input<1, dim<3>, dim<2>>)>>;
    EXPECT_EQ((applications<rule, instantiated<rule::from, types<X, Gamma, Beta, other>, types<>>::type, Ragged>()), 0);
    using moving = term_of<std::remove_const_t<decltype(input<1, dim<2>>)>>;
    EXPECT_EQ((applications<rule, instantiated<rule::from, types<X, moving, Beta, W>, types<>>::type, Ragged>()), 0);
}
TEST(FoldLayerNorm, KeepsStatisticsInSinglePrecision) {
    using mean = Term<core::RowMean, X>;
    using G = egraph::Graph<LayerLanguage<egraph::symbols_of<rule, X, Gamma, Beta, W>, Ragged>>;
    G g;
    const auto data = [&](auto term) { return g.data(egraph::add_term<decltype(term)>(g)); };
    EXPECT_TRUE(data(mean{}).fp32);
    EXPECT_TRUE(data(instantiated<rule::rstd, vars, types<>>::type{}).fp32);
    EXPECT_TRUE(data(Term<load::RowSums, Term<load::ScaledColumns, W, Gamma>>{}).fp32);
    EXPECT_TRUE(data(Term<load::Shift, W, Beta>{}).fp32);
    EXPECT_FALSE(data(Term<load::ScaledColumns, W, Gamma>{}).fp32);
    EXPECT_FALSE(data(instantiated<rule::deviation, vars, types<>>::type{}).fp32);
    EXPECT_FALSE(data(instantiated<rule::to, vars, types<>>::type{}).fp32);
}

/// Q, K and V of normalised rows are folded as one product.
TEST(FoldLayerNorm, LeavesPartsOfAJoinedProduct) {
    using norm = Term<core::LayerNorm<1e-5>, X, Gamma, Beta>;
    using root = Term<core::Attention<4>, Term<Heads<4>, rules::linear<norm, Given<"q", 8, dim<2>>>>,
                      Term<Heads<4>, rules::linear<norm, Given<"k", 8, dim<2>>>>,
                      Term<Heads<4>, rules::linear<norm, Given<"v", 8, dim<2>>>>>;
    using both = types<rules::JoinQueryKeyValue<false>, rules::PartOfJoined<0, 3, false>,
                       rules::PartOfJoined<1, 3, false>, rules::PartOfJoined<2, 3, false>, rule>;
    const auto n = apply_rules<both, root, Ragged>();
    EXPECT_EQ(n.applied[0], 1);
    EXPECT_EQ(n.applied[4], 1);
}

}  // namespace
