// SPDX-License-Identifier: Apache-2.0
/// Terms as they enter a graph: arguments before what is over them, equal ones once, none where there is no room.
#include <rewrite/egraph/algebra.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay_test::algebra;

using Small = Language<types<Plus, Times, Minus, Fma, Number<0>, Number<1>, Number<2>, Unknown<0>, Unknown<1>>>;

/// A term that stands in two places of each level: 2^60 leaves, 61 subterms.
template <int Levels>
struct Doubled {
    using under = typename Doubled<Levels - 1>::type;
    using type = plus<under, under>;
};
template <>
struct Doubled<0> {
    using type = x;
};

/// Minus over minus, so often.
template <int Length>
struct Chain {
    using type = minus<typename Chain<Length - 1>::type>;
};
template <>
struct Chain<0> {
    using type = x;
};

TEST(Term, IsASymbolOverItsArguments) {
    using T = multiply_add<x, y, minus<x>>;
    EXPECT_TRUE((std::is_same_v<T::symbol, Fma>));
    EXPECT_TRUE((std::is_same_v<T::arguments, types<x, y, minus<x>>>));
}
TEST(Term, ArgumentsAreAddedInTheirOrder) {
    Graph<Small> g;
    const Id sum = add_term<plus<minus<x>, times<y, number<2>>>>(g);
    const Node& n = g.node(sum);
    ASSERT_EQ(n.arity, 2);
    EXPECT_EQ(n.symbol, Graph<Small>::symbol_index<Plus>);
    EXPECT_EQ(n.child[0], add_term<minus<x>>(g));
    EXPECT_EQ(n.child[1], (add_term<times<y, number<2>>>(g)));
    EXPECT_EQ(g.node(n.child[1]).child[0], add_term<y>(g));
    EXPECT_EQ(g.size(), 6);
}
TEST(Term, WhatStandsInManyPlacesIsAddedOnce) {
    constexpr int levels = 60;
    Graph<Small> g;
    const Id top = add_term<Doubled<levels>::type>(g);
    EXPECT_EQ(g.size(), levels + 1);
    Id at = top;
    for (int i = 0; i < levels; ++i) {
        EXPECT_EQ(g.node(at).child[0], g.node(at).child[1]);
        at = g.node(at).child[0];
    }
    EXPECT_EQ(at, add_term<x>(g));
}
TEST(Term, NoneWhereThereIsNoRoom) {
    Graph<Small, 2> g;
    EXPECT_NE(add_term<minus<x>>(g), none);
    EXPECT_EQ((add_term<plus<x, minus<x>>>(g)), none);
    EXPECT_EQ((add_term<times<plus<x, minus<x>>, x>>(g)), none);
    EXPECT_TRUE(g.limit_reached());
}
/// More terms than the adder remembers at once.
TEST(Term, EveryTermOfALongChainIsAdded) {
    Graph<Small, 512> g;
    add_term<Chain<300>::type>(g);
    EXPECT_EQ(g.size(), 301);
    EXPECT_FALSE(g.limit_reached());
}
TEST(Term, EqualArgumentsMakeEqualTerms) {
    Graph<Small> g;
    const Id minus_x = add_term<minus<x>>(g);
    EXPECT_TRUE(g.merge(add_term<x>(g), add_term<y>(g)));
    g.rebuild();
    EXPECT_EQ(g.find(add_term<minus<y>>(g)), g.find(minus_x));
}

}  // namespace
