// SPDX-License-Identifier: Apache-2.0
/// Facts of symbols: which operands of a core are expressions and which weights, and what is a special function.
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/symbol_facts.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::planner;

template <class S>
constexpr SymbolFacts facts = planner::detail::facts_of<S>::value;

TEST(SymbolFacts, CoresHaveExpressionsBeforeWeights) {
    constexpr SymbolFacts product = facts<core::Linear>, conv = facts<core::Conv2D<Filter<3, 5, 2>>>;
    EXPECT_EQ(product.core, Core::linear);
    EXPECT_EQ(product.expressions, 1);
    EXPECT_EQ(product.weights, 2);
    EXPECT_EQ(conv.rows, 3);
    EXPECT_EQ(conv.cols, 5);
    EXPECT_EQ(conv.stride, 2);
    EXPECT_EQ((facts<core::GroupNorm<8, 1e-5>>.groups), 8);
}
TEST(SymbolFacts, RolesOfLeavesAndExpressions) {
    EXPECT_EQ((facts<InputSymbol<0, Phase::step, dim<0>>>.role), Role::input);
    EXPECT_EQ((facts<WeightSymbol<letters<"w">, Field::bias, Layout::plain, dim<0>>>.role), Role::weight);
    EXPECT_EQ((facts<Expression<Add<Buf<0>, Buf<1>>>>.role), Role::pointwise);
    EXPECT_EQ((facts<Expression<Add<Buf<0>, Buf<1>>>>.specials), 0);
    EXPECT_GT((facts<Expression<Exp<Buf<0>>>>.specials), 0);
    EXPECT_EQ((facts<Expression<Slice<Buf<0>, -1, 0, 4>>>.role), Role::view);
    EXPECT_TRUE((facts<Heads<8>>.sink && facts<Heads<8>>.strides));
    constexpr SymbolFacts second = facts<Part<1, 3>>;
    EXPECT_EQ(second.part, 1);
    EXPECT_EQ(second.parts, 3);
}

}  // namespace
