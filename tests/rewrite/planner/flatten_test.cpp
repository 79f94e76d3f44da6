// SPDX-License-Identifier: Apache-2.0
/// Layers as terms, nodes apart from their operands, and names of weights.
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/flatten.hpp>
#include <inlay/rewrite/planner/layer.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::planner;
using egraph::Term;

constexpr auto x = input<0, dim<0>, 8>;
using X = Term<InputSymbol<0, Phase::step, dim<0>, as_dim(8)>>;
template <class E, class... Args>
using node_of = Term<Expression<E>, Args...>;

template <class E>
using flat = term_of<std::remove_cvref_t<E>>;

TEST(Flatten, OperandsAreTerms) {
    EXPECT_TRUE((std::is_same_v<flat<decltype(x)>, X>));
    EXPECT_TRUE((std::is_same_v<flat<decltype(silu(x))>, node_of<Silu<Buf<0>>, X>>));
    EXPECT_TRUE((std::is_same_v<flat<decltype(silu(x) * constant<2>)>,
                                node_of<Mul<Buf<0>, Buf<1>>, node_of<Silu<Buf<0>>, X>, node_of<Const<2>>>>));
    EXPECT_TRUE((std::is_same_v<flat<decltype(concat<-1>(x, silu(x)))>,
                                node_of<Concat<-1, Buf<0>, Buf<1>>, X, node_of<Silu<Buf<0>>, X>>>));
    EXPECT_TRUE((std::is_same_v<flat<decltype(materialize(silu(x)))>,
                                Term<PinSymbol<Pin::materialize>, node_of<Silu<Buf<0>>, X>>>));
}
TEST(Flatten, FramesHaveTheirWeightsAfterTheirOperands) {
    using W = Term<WeightSymbol<letters<"q">, Field::weight, Layout::matrix, as_dim(4), as_dim(8)>>;
    using B = Term<WeightSymbol<letters<"q">, Field::bias, Layout::plain, as_dim(4)>>;
    EXPECT_TRUE((std::is_same_v<flat<decltype(linear<"q", 4, 8>(x))>,
                                node_of<Add<Buf<0>, Buf<1>>, Term<core::Linear, X, W>, B>>));
    using F =
        Term<WeightSymbol<letters<"c">, Field::weight, Layout::filter, as_dim(4), as_dim(8), as_dim(3), as_dim(3)>>;
    EXPECT_TRUE((std::is_same_v<flat<decltype(convolution_without_bias<"c", 4, 8, Filter<3>>(x))>,
                                Term<core::Conv2D<Filter<3>>, X, F>>));
}

// A prototype over a node's own operands is the node, whatever the order of its arguments.
template <class E, class... Operand>
constexpr bool returns = std::is_same_v<typename substitute<typename prototype<E>::type, Operand...>::type, E>;
TEST(Prototype, ANodeComesBackOverItsOperands) {
    using A = Exp<Buf<5>>;
    using B = Buf<7>;
    EXPECT_TRUE((returns<Silu<A>, A>));
    EXPECT_TRUE((returns<Add<A, B>, A, B>));
    EXPECT_TRUE((returns<Where<A, B, A>, A, B, A>));
    EXPECT_TRUE((returns<Slice<A, -1, 2, 3>, A>));
    EXPECT_TRUE((returns<Reshape<A, 2, -1>, A>));
    EXPECT_TRUE((returns<Gather<A, B, 1>, A, B>));
    EXPECT_TRUE((returns<Concat<0, A, B, A>, A, B, A>));
    EXPECT_TRUE((returns<Pad<A, 1, 2, 3>, A>));
    EXPECT_TRUE((returns<Im2col<A, 3, 3, 1, 1, 1>, A>));
    EXPECT_TRUE((returns<Cast<A, fp16>, A>));
    EXPECT_TRUE((returns<Const<3>>));
    EXPECT_TRUE((std::is_same_v<prototype<Gather<A, B, 1>>::type, Gather<Buf<0>, Buf<1>, 1>>));
}

TEST(Name, IsThatOfTheFile) {
    using to_out = letters<"to_out.0">;
    EXPECT_EQ(to_out::view(), "to_out.0");
    EXPECT_EQ(suffix(Field::whole), "");
    EXPECT_EQ(suffix(Field::weight), ".weight");
    EXPECT_EQ(suffix(Field::bias), ".bias");
}
TEST(Phase, OrderIsThatOfTime) {
    EXPECT_EQ(later(Phase::load, Phase::prompt), Phase::prompt);
    EXPECT_EQ(later(Phase::step, Phase::schedule), Phase::step);
    EXPECT_EQ(earlier(Phase::step, Phase::schedule), Phase::schedule);
    EXPECT_EQ(static_cast<int>(Phase::step), phases - 1);
}

}  // namespace
