// SPDX-License-Identifier: Apache-2.0
#include <inlay/rewrite/planner/rules/recorded_group_norm.hpp>

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

// Groups of one channel and of several.
constexpr auto c = 4 * dim<3>;
constexpr std::array<Range, 4> ranges{{{1, 3}, {1, 5}, {2, 4}, {1, 3}}};
using In = Moving<0, dim<0>, dim<1>, dim<2>, c>;
using X = rules::sum<In, Given<"b", c>>;
using Gamma = Given<"gamma", c>;
using Beta = Given<"beta", c>;
using Records = Term<ChannelRecords, X>;
using vars = types<X, Gamma, Beta, Records>;
using Ragged = inlay::planner::Shape<2, 3, 5, 3>;

using publish = rules::PublishGroupNorm<4, 1e-5>;
using recorded = rules::RecordedGroupNorm<4, 1e-5>;

TEST(PublishGroupNorm, IsExactInDouble) {
    expect_equal_sides<publish, vars>(ranges);
    expect_equal_sides<rules::PublishGroupNorm<2, 1e-2>, vars>(ranges);
    EXPECT_EQ((applications<publish, left_of<publish, vars>, Ragged>()), 1);
}
TEST(PublishGroupNorm, HoldsForLargeMeans) {
    expect_equal_sides<publish, vars>(ranges, 1e3, 1e-10);
    expect_equal_sides<publish, vars>(ranges, 1e6, 1e-7);
}
/// Nothing publishes the statistics of an input, of a weight or of what is known at load.
TEST(PublishGroupNorm, IsOfWhatTheLayerComputes) {
    EXPECT_EQ((applications<publish, left_of<publish, types<In, Gamma, Beta>>, Ragged>()), 0);
    using table = Given<"table", dim<0>, dim<1>, c>;
    EXPECT_EQ((applications<publish, left_of<publish, types<table, Gamma, Beta>>, Ragged>()), 0);
    using made = rules::sum<table, Given<"b", c>>;
    EXPECT_EQ((applications<publish, left_of<publish, types<made, Gamma, Beta>>, Ragged>()), 0);
    EXPECT_EQ((applications<publish, left_of<publish, types<Term<Twice, X>, Gamma, Beta>>, Ragged>()), 0);
}

TEST(RecordedGroupNorm, IsExactInDouble) {
    expect_equal_sides<recorded, vars>(ranges);
    expect_equal_sides<recorded, vars>(ranges, 1e3, 1e-10);
    EXPECT_EQ((applications<recorded, left_of<recorded, vars>, Ragged>()), 1);
}
/// Sides are compared by what the records say: those of another tensor make another value.
TEST(RecordedGroupNorm, ReadsItsStatisticsFromTheRecords) {
    using other = types<X, Gamma, Beta, Term<ChannelRecords, Moving<1, dim<0>, dim<1>, dim<2>, c>>>;
    EXPECT_GT((error_of_sides<recorded, other>(Ragged::lengths)), 0.01);
}
/// Records of rows, of other channels and of other items are none of these.
TEST(RecordedGroupNorm, IsOfRecordsOfItsChannels) {
    const auto applied = []<class Of>(std::type_identity<Of>) {
        using norm = Term<core::GroupNorm<4, 1e-5>, Term<Recorded, In, Of>, Gamma, Beta>;
        egraph::Graph<LayerLanguage<egraph::symbols_of<norm, types<recorded>>, Ragged>> graph;
        egraph::add_term<norm>(graph);
        return egraph::saturate<types<recorded>>(graph).applied[0];
    };
    EXPECT_EQ(applied(std::type_identity<Moving<1, dim<0>, c, 2>>{}), 1);
    EXPECT_EQ(applied(std::type_identity<Moving<1, dim<0>, c, 3>>{}), 0);
    EXPECT_EQ(applied(std::type_identity<Moving<1, dim<0>, dim<1>, 2>>{}), 0);
    EXPECT_EQ(applied(std::type_identity<Moving<1, 3, c, 2>>{}), 0);
    EXPECT_EQ(applied(std::type_identity<Moving<1, dim<0>, dim<1>, dim<2>, 2>>{}), 0);
}

/// A layer of a product and its norm gets the rules by its symbols.
TEST(RecordedGroupRules, AreThoseOfAGroupNorm) {
    using norm = left_of<publish, vars>;
    using folded = typename rules_for<egraph::symbols_of<norm>>::folded;
    EXPECT_TRUE((std::is_same_v<inlay::unite_types<folded, types<publish>>, folded>));
}

}  // namespace
