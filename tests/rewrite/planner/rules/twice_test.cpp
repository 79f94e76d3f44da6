// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

namespace {

using namespace inlay_test;
using inlay::Add;
using inlay::Buf;

template <int I, auto... D>
using In = term_of<std::remove_const_t<decltype(input<I, D...>)>>;
template <Name N, auto... D>
using Given = term_of<std::remove_const_t<decltype(weight<N, D...>)>>;
template <class X>
using twice_of = Term<Twice, X>;

constexpr std::array<Range, 4> ranges{{{1, 3}, {1, 4}, {1, 4}, {1, 5}}};
using Ragged = inlay::planner::Shape<2, 3, 5, 4>;
using X = In<0, dim<0>, dim<1>, dim<2>>;
using Y = In<1, dim<0>, dim<1>, dim<2>>;
using Z = In<2, dim<0>, dim<1>, dim<2>>;
using Heads3 = In<3, dim<0>, dim<1>, dim<2>, 4>;
using Image4 = In<4, dim<0>, dim<1>, dim<2>, 4>;

template <class R, class S, class... Var>
void expect_half() {
    expect_equal_sides<R, types<Var...>, types<S>>(ranges);
    using from = typename instantiated<typename R::from, types<Var...>, types<S>>::type;
    EXPECT_EQ((applications<R, from, Ragged>()), 1);
}
/// The rule does not apply to symbol S, and would be wrong.
template <class R, class From, class To>
void expect_refused() {
    EXPECT_EQ((applications<R, From, Ragged>()), 0);
    const Leaves leaves{Ragged::lengths};
    EXPECT_GT(error_of(interpret<To>(leaves), interpret<From>(leaves)), 1e-3);
}

TEST(TwiceOfOne, IsTwiceTheHalf) {
    expect_half<rules::TwiceOfOne, Expression<inlay::Silu<Buf<0>>>, X>();
    expect_half<rules::TwiceOfOne, Expression<inlay::node::Upsample<Buf<0>, 2, -2>>, X>();
    expect_half<rules::TwiceOfOne, Expression<inlay::node::Permute<Buf<0>, 0, 2, 1>>, X>();
    expect_half<rules::TwiceOfOne, Expression<inlay::node::Im2col<Buf<0>, 3, 3, 1, 1, 1>>, Image4>();
    expect_half<rules::TwiceOfOne, Heads<4>, Image4>();
    expect_half<rules::TwiceOfOne, MergedHeads, Heads3>();
    expect_half<rules::TwiceOfOne, Tokens, Image4>();
    expect_half<rules::TwiceOfOne, Part<1, 2>, Image4>();
    expect_half<rules::TwiceOfOne, core::RowMean, X>();
    expect_half<rules::TwiceOfOne, core::Softmax, X>();
    expect_half<rules::TwiceOfOne, core::Reduce<inlay::reduction::Sum, inlay::Axes<-2>>, X>();
    expect_half<rules::TwiceOfOne, core::Reduce<inlay::reduction::Sum, inlay::Axes<2>>, X>();
}
TEST(TwiceOfOne, TakesItemsAlike) {
    // A sum over the items counts both halves, and a permutation may move the items away.
    using over = core::Reduce<inlay::reduction::Sum, inlay::Axes<0>>;
    using from_end = core::Reduce<inlay::reduction::Sum, inlay::Axes<-3>>;
    using moved = Expression<inlay::node::Permute<Buf<0>, 1, 0, 2>>;
    expect_refused<rules::TwiceOfOne, Term<over, twice_of<X>>, twice_of<Term<over, X>>>();
    expect_refused<rules::TwiceOfOne, Term<from_end, twice_of<X>>, twice_of<Term<from_end, X>>>();
    expect_refused<rules::TwiceOfOne, Term<moved, twice_of<X>>, twice_of<Term<moved, X>>>();
    using list = In<5, dim<0>>;
    expect_refused<rules::TwiceOfOne, Term<core::Softmax, twice_of<list>>, twice_of<Term<core::Softmax, list>>>();
}

TEST(TwiceOfTwo, IsTwiceTheHalf) {
    expect_half<rules::TwiceOfTwo, Expression<Add<Buf<0>, Buf<1>>>, X, Y>();
    expect_half<rules::TwiceOfTwo, Expression<inlay::node::Concat<index_t(-1), Buf<0>, Buf<1>>>, X, Y>();
    using by_items = Expression<inlay::node::Concat<index_t(0), Buf<0>, Buf<1>>>;
    expect_refused<rules::TwiceOfTwo, Term<by_items, twice_of<X>, twice_of<Y>>, twice_of<Term<by_items, X, Y>>>();
    // Twice a vector over the last axis is no half of an image.
    using other = In<6, dim<2>>;
    using wide = In<7, dim<0>, 2 * dim<2>>;
    using add = Expression<Add<Buf<0>, Buf<1>>>;
    EXPECT_EQ((applications<rules::TwiceOfTwo, Term<add, twice_of<wide>, twice_of<other>>, Ragged>()), 0);
}
TEST(TwiceOfThree, IsTwiceTheHalf) {
    expect_half<rules::TwiceOfThree, core::Attention<4>, Heads3, In<8, dim<0>, dim<1>, dim<3>, 4>,
                In<9, dim<0>, dim<1>, dim<3>, 4>>();
    expect_half<rules::TwiceOfThree, Expression<inlay::node::Concat<index_t(1), Buf<0>, Buf<1>, Buf<2>>>, X, Y, Z>();
}
/// The residual of the first cross-attention is the first that tells the halves apart.
TEST(TwiceOfThree, LeavesAnAttentionOverDifferentTexts) {
    using keys = In<8, 2 * dim<0>, dim<1>, dim<3>, 4>;
    using values = In<9, 2 * dim<0>, dim<1>, dim<3>, 4>;
    using root = Term<core::Attention<4>, twice_of<Heads3>, keys, values>;
    const auto n = apply_rules<rules::twice_rules, root, Ragged>();
    for (const int applied : n.applied) EXPECT_EQ(applied, 0);
}

TEST(TwiceBeside, IsTwiceTheHalf) {
    using plus = Expression<Add<Buf<0>, Buf<1>>>;
    expect_half<rules::TwiceBeside<true>, plus, X, Given<"b", dim<2>>>();
    expect_half<rules::TwiceBeside<false>, plus, X, Given<"b", dim<2>>>();
    expect_half<rules::TwiceBeside<true>, plus, X, In<6, 1, dim<1>, 1>>();
    expect_half<rules::TwiceBeside<true>, Expression<inlay::Mul<Buf<0>, Buf<1>>>, X,
                Term<Expression<inlay::Const<3>>>>();
    expect_half<rules::TwiceBeside<true>, core::Linear, X, Given<"w", dim<3>, dim<2>>>();
    expect_half<rules::TwiceBeside<true>, core::Conv2D<inlay::Filter<3>>, Image4, Given<"w", dim<3>, 4, 3, 3>>();
    expect_half<rules::TwiceBesideTwo, core::LayerNorm<1e-5>, X, Given<"g", dim<2>>, Given<"b", dim<2>>>();
    expect_half<rules::TwiceBesideTwo, core::GroupNorm<2, 1e-5>, Image4, Given<"g", 4>, Given<"b", 4>>();
}
TEST(TwiceBeside, TakesWhatServesBothHalves) {
    using plus = Expression<Add<Buf<0>, Buf<1>>>;
    using rule = rules::TwiceBeside<true>;
    // A tensor that has items of its own; and one whose axis of extent 1 is not the first.
    EXPECT_EQ((applications<rule, Term<plus, twice_of<X>, In<6, 2 * dim<0>, dim<1>, dim<2>>>, Ragged>()), 0);
    EXPECT_EQ((applications<rule, Term<plus, twice_of<X>, In<6, 2 * dim<0>, 1, dim<2>>>, Ragged>()), 0);
    // A vector twice is as long as the last axis of the other, not as its batch.
    using vector = In<6, dim<0>>;
    using matrix = In<7, dim<1>, 2 * dim<0>>;
    EXPECT_EQ((applications<rule, Term<plus, twice_of<vector>, matrix>, Ragged>()), 0);
    // A product with a tensor of the step is none with a weight.
    EXPECT_EQ((applications<rule, Term<core::Linear, twice_of<X>, In<6, dim<3>, dim<2>>>, Ragged>()), 0);
    // Coordinates tell items apart.
    using numbered = Term<plus, twice_of<X>, Term<Expression<inlay::Coord<0>>>>;
    egraph::Graph<LayerLanguage<egraph::symbols_of<numbered, rule>, Ragged>> graph;
    egraph::add_term<numbered>(graph);
    EXPECT_EQ(egraph::saturate<types<rule>>(graph).applied[0], 0);
}

}  // namespace
