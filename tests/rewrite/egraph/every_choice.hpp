// SPDX-License-Identifier: Apache-2.0
/// Every extraction of a small e-graph, by trying each node of each class, and random graphs with cycles.
#pragma once

#include "listed.hpp"

#include <map>
#include <random>
#include <set>
#include <vector>

namespace inlay_test {

using inlay::egraph::Id;
using inlay::egraph::none;

using Small = Listed<32>;
using Choice = std::map<Id, Id>;  // the node of each class that is needed

/// Adds what class c needs to a term. False: the choice is a cycle, c being below itself.
template <class G>
bool complete(const G& g, const Choice& pick, Id c, std::set<Id>& path, Choice& term) {
    if (path.contains(c)) return false;
    path.insert(c);
    const Id n = pick.at(c);
    for (int i = 0; i < g.node(n).arity; ++i)
        if (!complete(g, pick, g.find(g.node(n).child[i]), path, term)) return false;
    path.erase(c);
    term[c] = n;
    return true;
}

/// All extractions by their totals, found by trying each node of each class.
template <class G, class Price>
std::map<std::int64_t, std::set<Choice>> every_extraction(const G& g, Id root, const Price& price) {
    std::map<Id, std::vector<Id>> nodes;
    for (Id c = 1; c <= G::max_nodes; ++c)
        if (g.find(c) == c)
            for (Id n = g.first(c); n != none; n = g.next(n)) nodes[c].push_back(n);
    std::map<std::int64_t, std::set<Choice>> found;
    std::map<Id, std::size_t> at;
    for (auto turning = nodes.begin(); turning != nodes.end();) {
        Choice pick, term;
        for (const auto& [c, of] : nodes) pick[c] = of[at[c]];
        std::set<Id> path;
        if (complete(g, pick, g.find(root), path, term)) {
            std::int64_t total = 0;
            for (const auto& [c, n] : term) total += price(g, n);
            found[total].insert(term);
        }
        for (turning = nodes.begin(); turning != nodes.end(); ++turning) {
            if (++at[turning->first] < turning->second.size()) break;
            at[turning->first] = 0;
        }
    }
    return found;
}

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }

private:
    std::mt19937 engine_;
};

/// Each class has a node or more over any classes, itself and those above it too; most have a leaf. Prices are few, so
/// that totals are equal often.
inline Small random_graph(Random& random, int classes) {
    Small g;
    for (int c = 1; c <= classes; ++c) {
        const int nodes = 1 + random.below(3);
        for (int i = 0; i < nodes; ++i) {
            const Id n = g.add(c, random.below(5));
            const int arity = i == 0 && random.below(3) != 0 ? 0 : random.below(4);
            for (int k = 0; k < arity; ++k) g.all[n].child[k] = static_cast<Id>(1 + random.below(classes));
            g.all[n].arity = arity;
        }
    }
    return g;
}

}  // namespace inlay_test
