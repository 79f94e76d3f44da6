// SPDX-License-Identifier: Apache-2.0
#include <rewrite/egraph/algebra.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay_test::algebra;

using Small = Language<types<Plus, Times, Minus, Fma, Number<0>, Number<1>, Number<2>, Unknown<0>, Unknown<1>>>;

constexpr int members(const auto& graph, Id c) {
    int n = 0;
    for (Id i = graph.first(c); i != none; i = graph.next(i)) ++n;
    return n;
}

struct Facts {
    bool apart, together, whole;
    int before, after, size, members;
    bool operator==(const Facts&) const = default;
};

/// −(−x) and −(−y), then x = y.
constexpr Facts congruence() {
    Graph<Small> g;
    const Id p = add_term<minus<minus<x>>>(g), q = add_term<minus<minus<y>>>(g);
    Facts f{};
    f.apart = g.find(p) != g.find(q);
    f.before = g.live_nodes();
    const bool merged = g.merge(add_term<x>(g), add_term<y>(g));
    g.rebuild();
    f.together = merged && g.find(p) == g.find(q) && g.find(add_term<minus<x>>(g)) == g.find(add_term<minus<y>>(g));
    f.whole = g.live(g.first(p)) && !g.limit_reached() && g.conflict().a == none;
    f.after = g.live_nodes();
    f.size = g.size();
    f.members = members(g, add_term<x>(g));
    return f;
}
constexpr Facts congruent = congruence();
static_assert(congruent == Facts{true, true, true, 6, 4, 6, 2});

TEST(EGraph, EqualArgumentsMakeEqualTerms) { EXPECT_EQ(congruence(), congruent); }

TEST(EGraph, EqualNodesAreOne) {
    Graph<Small> g;
    const Id a = add_term<plus<times<x, y>, times<x, y>>>(g);
    EXPECT_EQ(g.size(), 4);
    EXPECT_EQ((add_term<plus<times<x, y>, times<x, y>>>(g)), a);
    EXPECT_EQ(g.size(), 4);
    EXPECT_NE((add_term<plus<times<y, x>, times<x, y>>>(g)), a);
    EXPECT_EQ(g.size(), 6);
    const Node& node = g.node(a);
    EXPECT_EQ(node.arity, 2);
    EXPECT_EQ(node.child[0], node.child[1]);
    EXPECT_EQ(node.symbol, Graph<Small>::symbol_index<Plus>);
    EXPECT_EQ(g.add(node), a);
}

/// x = x · 1: the class is its own child. Then x · 1 + x · 1 has one child, x.
TEST(EGraph, ClassesMayBeTheirOwnChildren) {
    Graph<Small> g;
    const Id product = add_term<times<x, number<1>>>(g), sum = add_term<plus<times<x, number<1>>, x>>(g);
    EXPECT_TRUE(g.merge(add_term<x>(g), product));
    EXPECT_FALSE(g.merge(add_term<x>(g), product));
    g.rebuild();
    const Id c = g.find(product);
    EXPECT_EQ(members(g, c), 2);
    EXPECT_EQ(g.find(add_term<times<times<times<x, number<1>>, number<1>>, number<1>>>(g)), c);
    EXPECT_EQ(g.find(add_term<plus<x, x>>(g)), g.find(sum));
    EXPECT_EQ(g.live_nodes(), 4);
}

/// A class that merges while the users of another are being repaired: f(f(f(x))) = x and f(f(x)) = x give f(x) = x.
TEST(EGraph, ClosureGoesAsFarAsItReaches) {
    Graph<Small> g;
    const Id three = add_term<minus<minus<minus<x>>>>(g), two = add_term<minus<minus<x>>>(g), one = add_term<x>(g);
    g.merge(three, one);
    g.merge(two, one);
    g.rebuild();
    EXPECT_EQ(g.find(add_term<minus<x>>(g)), g.find(one));
    EXPECT_EQ(g.live_nodes(), 2);
}

TEST(EGraph, DataReachTheUsersOfAClass) {
    Graph<Small> g;
    const Id sum = add_term<plus<times<x, y>, number<1>>>(g);
    EXPECT_FALSE(g.data(sum).known);
    g.merge(add_term<x>(g), add_term<number<2>>(g));
    g.rebuild();
    EXPECT_FALSE(g.data(sum).known);
    g.merge(add_term<number<2>>(g), add_term<y>(g));
    g.rebuild();
    ASSERT_TRUE(g.data(sum).known);
    EXPECT_EQ(g.data(sum).value, 5);
    EXPECT_NO_THROW(require_no_conflict(g));
}

TEST(EGraph, ConflictsNameBothClasses) {
    Graph<Small> g;
    const Id sum = add_term<plus<number<1>, number<1>>>(g), one = add_term<number<1>>(g);
    EXPECT_TRUE(g.merge(sum, add_term<number<2>>(g)));
    EXPECT_FALSE(g.merge(sum, one));
    EXPECT_NE(g.find(sum), g.find(one));
    try {
        require_no_conflict(g);
        ADD_FAILURE();
    } catch (const Error& e) {
        const std::string text = e.what();
        EXPECT_NE(text.find("inlay: a rule makes "), text.npos) << text;
        EXPECT_NE(text.find("plus(1, 1)"), text.npos) << text;
        EXPECT_NE(text.find(" equal, whose data disagree"), text.npos) << text;
    }
}

/// A conflict that only congruence brings: x + 1 = 1 and y + 1 = 2, then x = y.
TEST(EGraph, ConflictsOfUsersAreFound) {
    Graph<Small> g;
    g.merge(add_term<plus<x, number<1>>>(g), add_term<number<1>>(g));
    g.merge(add_term<plus<y, number<1>>>(g), add_term<number<2>>(g));
    g.rebuild();
    EXPECT_EQ(g.conflict().a, none);
    g.merge(add_term<x>(g), add_term<y>(g));
    g.rebuild();
    EXPECT_NE(g.conflict().a, none);
    EXPECT_NE(g.find(g.conflict().a), g.find(g.conflict().b));
}

/// One node less than the term has: a flag, no write past the end, and `none` is an argument for all.
TEST(EGraph, LimitsAreFlagged) {
    Graph<Small, 3> g;
    EXPECT_EQ((add_term<plus<times<x, y>, number<1>>>(g)), none);
    EXPECT_TRUE(g.limit_reached());
    EXPECT_EQ(g.size(), 3);
    EXPECT_FALSE(g.merge(none, add_term<x>(g)));
    EXPECT_EQ(g.find(none), none);
    EXPECT_EQ(g.first(none), none);
    EXPECT_FALSE(g.live(none));
    Graph<Small, 3> lone;
    EXPECT_EQ(lone.add({static_cast<std::uint16_t>(lone.symbol_index<Minus>), 1, {none}}), none);
    EXPECT_TRUE(lone.limit_reached());
    EXPECT_EQ(lone.size(), 0);
    Graph<Small, 1> one;
    EXPECT_NE(add_term<x>(one), none);
    EXPECT_FALSE(one.limit_reached());
    EXPECT_EQ(add_term<y>(one), none);
    EXPECT_TRUE(one.limit_reached());
    Graph<Small, 3> whole;
    EXPECT_NE((add_term<times<x, y>>(whole)), none);
    EXPECT_FALSE(whole.limit_reached());
}

/// Data that grow around a cycle end with a flag.
struct Growing : Small {
    struct Data {
        int value = 0;
        bool operator==(const Data&) const = default;
    };
    template <class G>
    static constexpr Data make(const G& graph, const Node& node) {
        return {node.arity ? graph.data(node.child[0]).value + 1 : 0};
    }
    static constexpr bool join(Data& into, const Data& from) {
        if (into.value < from.value) into = from;
        return true;
    }
};
TEST(EGraph, DataThatGrowAroundACycleEnd) {
    Graph<Growing> g;
    g.merge(add_term<minus<x>>(g), add_term<x>(g));
    g.rebuild();
    EXPECT_TRUE(g.limit_reached());
}

// 2^20 paths, 21 nodes.
template <int N>
struct doubled {
    using type = plus<typename doubled<N - 1>::type, typename doubled<N - 1>::type>;
};
template <>
struct doubled<0> {
    using type = x;
};
static_assert([] {
    Graph<Small> g;
    add_term<doubled<20>::type>(g);
    return g.size() == 21;
}());

}  // namespace
