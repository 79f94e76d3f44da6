// SPDX-License-Identifier: Apache-2.0
/// The facts that an extraction's search starts from, against every extraction of each class.
#include "every_choice.hpp"

#include <inlay/rewrite/egraph/choices.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace inlay::egraph;
using namespace inlay_test;
using Facts = inlay::egraph::detail::Choices<32>;

std::set<int> numbers(const Facts::Set& s) {
    std::set<int> all;
    for (int i = 0; i < 32; ++i)
        if (s.contains(i)) all.insert(i);
    return all;
}

/// Of a class: nodes that its extractions choose for it, classes that all of them need, and the least total.
struct Chosen {
    std::set<Id> nodes, always;
    std::int64_t least = 0;  ///< total
};
Chosen chosen_of(const Small& g, Id c) {
    Chosen of;
    bool first = true;
    const auto every = every_extraction(g, c, listed_price);
    if (!every.empty()) of.least = every.begin()->first;
    for (const auto& [total, terms] : every)
        for (const Choice& t : terms) {
            of.nodes.insert(t.at(c));
            std::set<Id> needed;
            for (const auto& [needs, node] : t)
                if (first || of.always.contains(needs)) needed.insert(needs);
            of.always = needed;
            first = false;
        }
    return of;
}
/// Classes below one, by steps from class to class along nodes that are left.
std::set<int> reached(const Facts& f, int from) {
    std::set<int> all, last{from};
    while (!last.empty()) {
        std::set<int> next;
        for (const int c : last)
            for (int n = f.first[c]; n < f.first[c + 1]; ++n)
                for (const int child : numbers(f.children[n]))
                    if (all.insert(child).second) next.insert(child);
        last = next;
    }
    return all;
}

TEST(Choices, AreThoseOfEveryExtraction) {
    Random random(36);
    int impossible = 0, dropped = 0, cyclic = 0;
    for (int round = 0; round < 300; ++round) {
        const int classes = 2 + random.below(6);
        const Small g = random_graph(random, classes);
        const Id root = static_cast<Id>(1 + random.below(classes));
        const Facts f(g, root, listed_price);
        ASSERT_EQ(f.id[f.root()], root);
        std::map<Id, int> number;
        std::map<Id, Chosen> chosen;
        for (int c = 0; c < f.classes; ++c) number[f.id[c]] = c, chosen[f.id[c]] = chosen_of(g, f.id[c]);
        ASSERT_EQ(number.size(), static_cast<std::size_t>(f.classes));
        for (int c = 0; c < f.classes; ++c) {
            const Chosen& truth = chosen.at(f.id[c]);
            EXPECT_EQ(f.possible.contains(c), !truth.nodes.empty());
            std::set<Id> nodes;
            std::int64_t least = never;
            for (int n = f.first[c]; n < f.first[c + 1]; ++n) {
                nodes.insert(f.node[n]);
                EXPECT_EQ(f.price[n], g.node(f.node[n]).price);
                least = std::min(least, f.price[n]);
                std::set<int> children, needs;
                for (int i = 0; i < g.node(f.node[n]).arity; ++i) {
                    const Id child = g.node(f.node[n]).child[i];
                    children.insert(number.at(child));
                    for (const Id needed : chosen.at(child).always) needs.insert(number.at(needed));
                }
                EXPECT_EQ(numbers(f.children[n]), children);
                EXPECT_EQ(numbers(f.needs[n]), needs);
            }
            EXPECT_EQ(nodes, truth.nodes);
            EXPECT_EQ(f.least[c], least);
            for (Id n = g.first(f.id[c]); n != none; n = g.next(n)) dropped += !nodes.contains(n);
            impossible += truth.nodes.empty();
            if (truth.nodes.empty()) continue;
            std::set<int> always, loop;
            for (const Id needed : truth.always) always.insert(number.at(needed));
            EXPECT_EQ(numbers(f.always[c]), always);
            for (const int other : reached(f, c))
                if (reached(f, other).contains(c)) loop.insert(other);
            EXPECT_EQ(numbers(f.loop[c]), loop);
            cyclic += !loop.empty();
            EXPECT_LE(f.way[c], truth.least);
        }
        ASSERT_FALSE(HasFailure()) << "round " << round;
    }
    EXPECT_GT(impossible, 20);
    EXPECT_GT(dropped, 100);
    EXPECT_GT(cyclic, 100);
}

/// 4 is 2 over 1 and 3 over 1, or 3 alone: its cheapest way down is 3 and 1, of 2 + 10 + 1, if not its cheapest node.
constexpr Small diamond() {
    Small g;
    g.add(1, 1);
    g.add(2, 20, 1);
    g.add(3, 10, 1);
    g.add(4, 1, 2, 3);
    g.add(4, 2, 3);
    g.add(5, never);
    return g;
}
constexpr Facts facts(diamond(), 4, listed_price);
static_assert(facts.classes == 4 && facts.nodes == 5 && facts.root() == 3);
static_assert(facts.id[0] == 1 && facts.id[1] == 2 && facts.id[2] == 3 && facts.id[3] == 4);  // children first
static_assert(facts.way[0] == 1 && facts.way[1] == 21 && facts.way[2] == 11 && facts.way[3] == 13);
static_assert(facts.least[3] == 1 && facts.least_of(facts.always[3]) == 1 + 10 + 1);
static_assert(facts.dearest_way(facts.always[3]) == 13 && facts.dearest_way(Facts::Set::below(3)) == 21);
static_assert(facts.node[facts.first[3]] == 5);  // the node first that is cheaper with what it needs
/// A node of the price `never` is none.
constexpr Facts forbidden(diamond(), 5, listed_price);
static_assert(forbidden.classes == 1 && forbidden.nodes == 0 && forbidden.possible.empty());

}  // namespace
