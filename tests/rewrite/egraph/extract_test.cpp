// SPDX-License-Identifier: Apache-2.0
/// Extraction against every choice there is, on random e-graphs with cycles and shared classes.
#include "every_choice.hpp"

#include <inlay/rewrite/egraph/extract.hpp>
#include <inlay/rewrite/egraph/graph.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay::egraph;
using namespace inlay_test;

template <int N>
Choice chosen(const Extraction<N>& e) {
    Choice term;
    for (Id c = 1; c <= N; ++c)
        if (e.node[c] != none) term[c] = e.node[c];
    return term;
}

/// Cases of each kind that were met.
struct Met {
    int cyclic = 0, several = 0, impossible = 0;
};

template <class G, class Price>
void compare_with_every_choice(const G& g, Id root, const Price& price, Met& met) {
    const auto truth = every_extraction(g, root, price);
    const auto best = extract(g, root, price);
    const auto all = all_optimal(g, root, price);
    EXPECT_TRUE(best.exact);
    ASSERT_EQ(best.found(), !truth.empty());
    std::set<Choice> optima;
    EXPECT_TRUE(each_optimal(g, root, price, [&](const auto& e) {
        EXPECT_EQ(e.total, best.total);
        EXPECT_TRUE(optima.insert(chosen(e)).second) << "visited twice";
    }));
    EXPECT_EQ(all.count, static_cast<int>(optima.size()));
    if (truth.empty()) {
        ++met.impossible;
        EXPECT_TRUE(optima.empty());
        return;
    }
    const auto& [total, terms] = *truth.begin();
    ASSERT_EQ(best.total, total);
    EXPECT_EQ(best.bound, total);
    EXPECT_TRUE(terms.contains(chosen(best)));
    ASSERT_EQ(optima, terms);
    EXPECT_TRUE(all.complete);
    for (Id c = 1; c <= G::max_nodes; ++c)
        for (Id n = g.find(c) == c ? g.first(c) : none; n != none; n = g.next(n)) {
            std::size_t times = 0;
            for (const Choice& t : terms) times += t.contains(c) && t.at(c) == n;
            EXPECT_EQ(all.share(n), times == 0              ? Share::in_none
                                    : times == terms.size() ? Share::in_all
                                                            : Share::in_some);
        }
    const auto next = std::next(truth.begin());
    EXPECT_EQ(runner_up(g, root, price), next == truth.end() ? never : next->first);
    met.several += terms.size() > 1;
    const detail::Choices<G::max_nodes> choices(g, root, price);
    for (int c = 0; c < choices.classes; ++c) met.cyclic += choices.loop[c].empty() ? 0 : 1;
}

TEST(Extract, AgreesWithEveryChoice) {
    Random random(34);
    Met met;
    for (int round = 0; round < 3000; ++round) {
        const int classes = 2 + random.below(7);
        const Small g = random_graph(random, classes);
        compare_with_every_choice(g, static_cast<Id>(1 + random.below(classes)), listed_price, met);
        ASSERT_FALSE(HasFailure()) << "round " << round;
    }
    EXPECT_GT(met.cyclic, 1000);
    EXPECT_GT(met.several, 150);
    EXPECT_GT(met.impossible, 100);
}

/// A language of symbols without meaning.
template <int>
struct Named {
    static constexpr const char* name = "f";
};
struct Plain {
    using symbols = inlay::types<Named<0>, Named<1>, Named<2>, Named<3>>;
    struct Data {
        constexpr bool operator==(const Data&) const = default;
    };
    template <class G>
    static constexpr Data make(const G&, const Node&) {
        return {};
    }
    static constexpr bool join(Data&, const Data&) { return true; }
};

/// Graphs whose cycles and classes of several nodes come from merges.
TEST(Extract, AgreesWithEveryChoiceOfMergedClasses) {
    Random random(35);
    Met met;
    const auto price = [](const auto& g, Id n) { return std::int64_t{g.node(n).symbol % 2 * 3}; };
    for (int round = 0; round < 1000; ++round) {
        Graph<Plain, 24> g;
        for (int i = 0; i < 16; ++i) {
            Node node{static_cast<std::uint16_t>(random.below(4)), 0, {}};
            if (i > 1) node.arity = static_cast<std::uint8_t>(random.below(3));
            for (int k = 0; k < node.arity; ++k) node.child[k] = static_cast<Id>(1 + random.below(g.size()));
            g.add(node);
        }
        const auto any = [&] { return static_cast<Id>(1 + random.below(g.size())); };
        for (int i = random.below(10); i > 0; --i) g.merge(any(), any());
        g.rebuild();
        compare_with_every_choice(g, static_cast<Id>(g.size()), price, met);
        ASSERT_FALSE(HasFailure()) << "round " << round;
    }
    EXPECT_GT(met.cyclic, 200);
    EXPECT_GT(met.several, 50);
}

/// f(g(a), g(a)) pays for g(a) once; that is why 7 for g wins over 4 for each of h and k.
constexpr Small shared() {
    Small g;
    g.add(1, 1);        // a
    g.add(2, 7, 1);     // g(a)
    g.add(3, 4, 1);     // h(a)
    g.add(4, 4, 1);     // k(a)
    g.add(5, 1, 2, 2);  // f(g, g)
    g.add(5, 1, 3, 4);  // f(h, k)
    g.add(5, 0, 5);     // itself
    return g;
}
constexpr auto shared_best = extract(shared(), 5, listed_price);
static_assert(shared_best.found() && shared_best.exact && shared_best.total == 9 && shared_best.bound == 9);
static_assert(shared_best.chooses(5, 5) && shared_best.chooses(2, 2) && shared_best.chooses(1, 1));
static_assert(shared_best.chooses(3, none) && shared_best.chooses(4, none));
constexpr auto shared_optima = all_optimal(shared(), 5, listed_price);
static_assert(shared_optima.count == 1 && shared_optima.complete && shared_optima.share(5) == Share::in_all &&
              shared_optima.share(6) == Share::in_none && shared_optima.share(7) == Share::in_none);
static_assert(runner_up(shared(), 5, listed_price) == 10);

/// Prices may forbid nodes.
template <int Forbidden>
constexpr auto without = [](const auto& g, Id n) { return n == Forbidden ? never : g.node(n).price; };
static_assert(extract(shared(), 5, without<2>).total == 10 && !extract(shared(), 5, without<1>).found());

/// Classes 2 and 3 have each other as operands, and each a way out.
constexpr Small cycle() {
    Small g;
    g.add(1, 5);
    g.add(2, 0, 3);
    g.add(3, 0, 2);
    g.add(2, 3, 1);
    g.add(3, 3, 1);
    g.add(4, 0, 2, 3);
    return g;
}
constexpr auto cycle_optima = all_optimal(cycle(), 4, listed_price);
static_assert(cycle_optima.total == 8 && cycle_optima.count == 2 && cycle_optima.complete);
static_assert(cycle_optima.share(1) == Share::in_all && cycle_optima.share(2) == Share::in_some &&
              cycle_optima.share(5) == Share::in_some);

/// 2^10 optima: ten classes of two nodes each.
constexpr Small many() {
    Small g;
    g.add(1, 1);
    g.add(1, 1);
    for (int c = 2; c <= 10; ++c) {
        g.add(c, 1, c - 1);
        g.add(c, 1, c - 1, c - 1);
    }
    return g;
}
TEST(Extract, StopsAtLimitsAndSaysSo) {
    EXPECT_EQ(all_optimal(many(), 10, listed_price, {.optima = 1024}).count, 1024);
    EXPECT_TRUE(all_optimal(many(), 10, listed_price, {.optima = 1024}).complete);
    const auto some = all_optimal(many(), 10, listed_price, {.optima = 1023});
    EXPECT_EQ(some.count, 1023);
    EXPECT_FALSE(some.complete);
    const auto cut = extract(many(), 10, listed_price, {.branches = 5});
    EXPECT_FALSE(cut.exact || cut.found());
    EXPECT_EQ(cut.bound, 10);
    const auto stopped = extract(shared(), 5, listed_price, {.branches = 2});
    EXPECT_TRUE(!stopped.exact && stopped.bound <= 9);
    EXPECT_FALSE(each_optimal(many(), 10, listed_price, [](const auto&) {}, {.branches = 5}));
    EXPECT_EQ(runner_up(many(), 10, listed_price), never);
}

}  // namespace
