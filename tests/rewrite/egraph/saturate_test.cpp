// SPDX-License-Identifier: Apache-2.0
#include <rewrite/egraph/rules.hpp>

#include <inlay/rewrite/egraph/saturate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using namespace inlay_test::algebra;

template <class Rules, class... Terms>
using language_of = Language<symbols_of<Rules, Terms...>>;

/// A graph of one term after saturation.
template <class T, class Rules, int Nodes = 256, class... MoreTerms>
struct Saturated {
    Graph<language_of<Rules, T, MoreTerms...>, Nodes> graph;
    Id root;
    Saturation<Rules::size> result;

    constexpr explicit Saturated(Limits limits = {})
        : graph(), root(add_term<T>(graph)), result(saturate<Rules>(graph, limits)) {}
    /// True if the graph has the term in the root's class. Adds none.
    template <class Other>
    constexpr bool equals() const {
        auto copy = graph;
        const Id id = add_term<Other>(copy);
        return copy.size() == graph.size() && id == graph.find(root);
    }
    constexpr bool is_closed() const {
        for (int n = 1; n <= graph.size(); ++n)
            if (const Id id = static_cast<Id>(n); graph.live(id) && graph.lookup(graph.node(id)) != graph.find(id))
                return false;
        return true;
    }
};

template <int N>
using unknown = Term<Unknown<N>>;

static_assert(std::is_same_v<symbols_of<plus<times<x, y>, x>>, types<Unknown<0>, Unknown<1>, Times, Plus>>);
static_assert(std::is_same_v<symbols_of<TimesOne, Commutes, z>, types<Number<1>, Times, Unknown<2>>>);
static_assert(std::is_same_v<symbols_of<types<TimesZero, types<MinusMinus>>, x>,
                             types<Number<0>, Times, Minus, Unknown<0>>>);
static_assert(std::is_same_v<symbols_of<>, types<>>);

TEST(Saturate, CommutativitySaturates) {
    using S = Saturated<plus<plus<x, y>, z>, types<PlusCommutes>>;
    constexpr S there{};
    static_assert(there.result.saturated && there.result.stop == Stop::fixpoint);
    static_assert(there.result.applied[0] == 2 && there.graph.size() == 7);
    const S here{};
    EXPECT_EQ(here.result.iterations, there.result.iterations);
    EXPECT_EQ(here.result.applied[0], 2);
    EXPECT_EQ(here.graph.live_nodes(), there.graph.live_nodes());
    EXPECT_TRUE((here.equals<plus<z, plus<y, x>>>()));
    EXPECT_FALSE((here.equals<plus<x, plus<y, z>>>()));
}

/// n unknowns summed in all ways: 2^n − 1 sets, of which each of k > 1 is a sum of 2^k − 2 pairs.
TEST(Saturate, SumsInAllOrders) {
    using T = plus<plus<plus<unknown<0>, unknown<1>>, unknown<2>>, unknown<3>>;
    const Saturated<T, types<PlusCommutes, PlusAssociates>> s;
    EXPECT_TRUE(s.result.saturated);
    int classes = 0;
    for (int n = 1; n <= s.graph.size(); ++n) classes += s.graph.is_class(static_cast<Id>(n));
    EXPECT_EQ(classes, 15);
    EXPECT_EQ(s.graph.live_nodes(), 4 + 6 * 2 + 4 * 6 + 14);
    EXPECT_TRUE(s.is_closed());
}

TEST(Saturate, CyclesOfARuleEnd) {
    using S = Saturated<times<times<x, number<1>>, number<1>>, types<TimesOne>>;
    const S s;
    EXPECT_TRUE(s.result.saturated);
    EXPECT_EQ(s.result.applied[0], 1);  // the other product is the same node then
    EXPECT_TRUE((s.equals<x>()));
    EXPECT_EQ(s.graph.live_nodes(), 3);
    EXPECT_TRUE(s.is_closed());
}

/// −−(x·1) + y·0 + x = 2x: rules need each other.
TEST(Saturate, RulesMeet) {
    using T = plus<plus<minus<minus<times<x, number<1>>>>, times<y, number<0>>>, x>;
    using rules = types<TimesOne, PlusZero, TimesZero, MinusMinus, Doubled>;
    constexpr Saturated<T, rules> s{};
    static_assert(s.equals<times<x, number<2>>>() && s.result.saturated);
    for (const int n : s.result.applied) EXPECT_EQ(n, 1);
    // In any order of the rules.
    const Saturated<T, types<Doubled, MinusMinus, TimesZero, PlusZero, TimesOne>> reversed;
    EXPECT_TRUE((reversed.equals<times<x, number<2>>>()));
    EXPECT_EQ(reversed.graph.live_nodes(), s.graph.live_nodes());
}

/// A class of several products: a child matches in more than one way.
TEST(Saturate, ChildrenMatchInSeveralWays) {
    using T = plus<times<x, y>, z>;
    const Saturated<T, types<TimesCommutes, Fused>> s;
    EXPECT_EQ(s.result.applied[1], 2);
    EXPECT_TRUE((s.equals<multiply_add<x, y, z>>()));
    EXPECT_TRUE((s.equals<multiply_add<y, x, z>>()));
}

TEST(Saturate, VariablesThatRepeatAreEqual) {
    using T = plus<times<x, y>, times<y, x>>;
    EXPECT_EQ((Saturated<T, types<Factored>>{}.result.applied[0]), 0);
    const Saturated<T, types<Factored, TimesCommutes>> s;
    EXPECT_TRUE((s.equals<times<x, plus<y, y>>>()));
    EXPECT_TRUE((s.equals<times<y, plus<x, x>>>()));
    EXPECT_FALSE((s.equals<times<x, plus<x, y>>>()));
}

TEST(Saturate, SymbolVariables) {
    using T = plus<times<x, y>, minus<z>>;
    const Saturated<T, types<Commutes>> s;
    EXPECT_EQ(s.result.applied[0], 2);
    EXPECT_TRUE((s.equals<plus<minus<z>, times<y, x>>>()));
    EXPECT_FALSE((s.equals<times<minus<z>, times<y, x>>>()));
}

/// Conditions on data, which a later rule may make true.
TEST(Saturate, ConditionsHold) {
    const Saturated<times<x, number<2>>, types<NumbersFirst>> s;
    EXPECT_TRUE((s.equals<times<number<2>, x>>()));
    EXPECT_EQ((Saturated<times<number<2>, x>, types<NumbersFirst>>{}.result.applied[0]), 0);
    EXPECT_EQ((Saturated<times<x, y>, types<NumbersFirst>>{}.result.applied[0]), 0);
    const Saturated<times<x, plus<times<y, number<0>>, number<2>>>, types<NumbersFirst, TimesZero>> later;
    EXPECT_EQ(later.result.applied[0], 2);  // of x · (0 + 2), and of y · 0
    EXPECT_TRUE(later.result.saturated);
}

/// −(a · b) = a, of a class of products. The first match of a root may take the name of a class from the next one.
struct NamesAreShared {
    using from = minus<times<a, b>>;
    using to = a;
    static constexpr const char* name = "names are shared";
    static constexpr bool rounds = false;
    template <class G>
    static constexpr bool holds(const G& graph, const Match& match) {
        require(graph.is_class(match.root) && graph.is_class(match.var[0]) && graph.is_class(match.var[1]), "old name");
        return true;
    }
};
TEST(Saturate, ConditionsSeeNamesThatClassesShare) {
    using rules = types<NamesAreShared>;
    for (const bool first : {true, false}) {
        Graph<Language<symbols_of<rules, plus<x, plus<y, z>>>>> g;
        const auto times_of = [&](Id p, Id q) {
            return g.add({static_cast<std::uint16_t>(g.symbol_index<Times>), 2, {p, q}});
        };
        add_term<plus<x, plus<x, plus<x, plus<x, x>>>>>(g);  // users enough for x to keep its name
        const Id p = times_of(add_term<x>(g), add_term<y>(g));
        const Id root = g.add({static_cast<std::uint16_t>(g.symbol_index<Minus>), 1, {p}});
        const Id q = times_of(root, add_term<y>(g));
        first ? g.merge(p, q) : g.merge(q, p);
        g.rebuild();
        EXPECT_TRUE(saturate<rules>(g).saturated);
        EXPECT_EQ(g.find(root), g.find(add_term<x>(g)));
    }
}

TEST(Saturate, LimitsEndIt) {
    const Saturated<plus<x, y>, types<Grows>> three(Limits{3, 1000});
    EXPECT_EQ(three.result.stop, Stop::iterations);
    EXPECT_EQ(three.result.iterations, 3);
    EXPECT_FALSE(three.result.saturated);
    EXPECT_FALSE(three.graph.limit_reached());
    EXPECT_TRUE(three.is_closed());
    const Saturated<plus<x, y>, types<Grows>> fifty(Limits{100, 50});
    EXPECT_EQ(fifty.result.stop, Stop::nodes);
    EXPECT_FALSE(fifty.result.saturated);
    EXPECT_LE(fifty.graph.size(), 50);
    EXPECT_GT(fifty.graph.size(), 40);
    EXPECT_TRUE(fifty.is_closed());
    const Saturated<plus<x, y>, types<Grows>, 30> small(Limits{100, 1000});
    EXPECT_EQ(small.result.stop, Stop::nodes);
    EXPECT_LE(small.graph.size(), 30);
    EXPECT_TRUE(small.is_closed());
    EXPECT_EQ((Saturated<plus<x, y>, types<Grows>>{Limits{0, 50}}.result.iterations), 0);
}
/// A graph that has room for all there is, and for no more, saturates.
TEST(Saturate, FullGraphsMaySaturate) {
    using T = plus<plus<x, y>, z>;
    const Saturated<T, types<PlusCommutes>, 7> exact;
    EXPECT_TRUE(exact.result.saturated);
    EXPECT_EQ(exact.graph.size(), 7);
    const Saturated<T, types<PlusCommutes>, 6> short_of_one;
    EXPECT_EQ(short_of_one.result.stop, Stop::nodes);
    EXPECT_FALSE(short_of_one.graph.limit_reached());
}

TEST(Saturate, ConflictsEndIt) {
    const Saturated<times<number<1>, number<0>>, types<Wrong>> s;
    EXPECT_EQ(s.result.stop, Stop::conflict);
    EXPECT_EQ(s.result.applied[0], 0);
    EXPECT_THROW(require_no_conflict(s.graph), Error);
}

TEST(Saturate, NoRulesAreSaturated) {
    const Saturated<plus<x, y>, types<>> s;
    EXPECT_TRUE(s.result.saturated);
    EXPECT_EQ(s.graph.size(), 3);
}

/// 81 ways at one root are more than there is room for, 64 are not.
template <class G>
Id products_in_one_class(G& g, int n) {
    Id c = none;
    for (int i = 0; i < n; ++i) {
        const Id id = g.add({static_cast<std::uint16_t>(G::template symbol_index<Times>), 2,
                             {add_term<x>(g), g.add({static_cast<std::uint16_t>(i), 0, {}})}});
        if (c != none) g.merge(c, id);
        c = id;
    }
    g.rebuild();
    return c;
}
TEST(Saturate, MoreMatchesThanThereIsRoomForAreNotSaturation) {
    using rules = types<PairsOfProducts>;
    using leaves = types<unknown<0>, unknown<1>, unknown<2>, unknown<3>, unknown<4>, unknown<5>, unknown<6>, unknown<7>,
                         unknown<8>>;
    const auto run = [](int ways) {
        Graph<Language<symbols_of<leaves, rules>>> g;
        const Id products = products_in_one_class(g, ways);
        g.add({static_cast<std::uint16_t>(g.symbol_index<Plus>), 2, {products, products}});
        return saturate<rules>(g);
    };
    EXPECT_EQ(run(9).stop, Stop::matches);
    EXPECT_TRUE(run(8).saturated);
}

}  // namespace
