// SPDX-License-Identifier: Apache-2.0
/// Random terms and equalities, with the relation that follows from them: all pairs, until nothing changes. Shares no
/// code with the e-graph but the node's struct.
#pragma once

#include <inlay/rewrite/egraph/graph.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace inlay_test::closure {

using namespace inlay;
using namespace inlay::egraph;

template <int I>
struct Leaf {
    static constexpr const char* name = "leaf";
};
struct One {
    static constexpr const char* name = "one";
};
struct Two {
    static constexpr const char* name = "two";
};
struct OtherTwo {
    static constexpr const char* name = "other two";
};
struct Three {
    static constexpr const char* name = "three";
};

/// Data: symbols in the smallest term of a class.
struct Language {
    using symbols = types<Leaf<0>, Leaf<1>, Leaf<2>, Leaf<3>, One, Two, OtherTwo, Three>;
    struct Data {
        int size = 0;
        bool operator==(const Data&) const = default;
    };
    template <class G>
    static constexpr Data make(const G& graph, const Node& node) {
        int size = 1;
        for (int i = 0; i < node.arity; ++i) size += graph.data(node.child[i]).size;
        return {size};
    }
    static constexpr bool join(Data& into, const Data& from) {
        if (from.size < into.size) into = from;
        return true;
    }
};
inline constexpr int arities[] = {0, 0, 0, 0, 1, 2, 2, 3};
inline constexpr int symbol_count = 8;

using TestGraph = Graph<Language, 64>;

/// A symbol over earlier terms.
struct Plain {
    int symbol;
    std::vector<std::size_t> child;
};

struct Case {
    std::vector<Plain> terms;
    std::vector<std::vector<char>> equal;
    TestGraph graph;
    std::vector<Id> id;  ///< of each term

    explicit Case(unsigned seed) {
        std::mt19937 random(seed);
        const auto below = [&](std::size_t n) { return random() % n; };
        std::vector<std::pair<std::size_t, std::size_t>> merges;
        for (int i = 0; i < 4; ++i) add({i, {}});
        const std::size_t steps = 8 + below(40);
        for (std::size_t s = 0; s < steps; ++s) {
            if (const std::size_t kind = below(10); kind < 6) {
                Plain t{4 + static_cast<int>(below(4)), {}};
                for (int i = 0; i < arities[t.symbol]; ++i) t.child.push_back(below(terms.size()));
                add(t);
            } else if (kind < 9) {
                merges.emplace_back(below(terms.size()), below(terms.size()));
                graph.merge(id[merges.back().first], id[merges.back().second]);
            } else {
                graph.rebuild();
            }
        }
        graph.rebuild();
        close(merges);
    }

    /// The first term of those that are equal to term t.
    std::size_t representative(std::size_t t) const {
        return static_cast<std::size_t>(std::find(equal[t].begin(), equal[t].end(), 1) - equal[t].begin());
    }
    /// A symbol over representatives. Equal terms have several, each once.
    using Signature = std::pair<int, std::vector<std::size_t>>;
    Signature signature(std::size_t t) const {
        Signature s{terms[t].symbol, {}};
        for (const std::size_t child : terms[t].child) s.second.push_back(representative(child));
        return s;
    }
    std::set<Signature> signatures(std::size_t t) const {
        std::set<Signature> all;
        for (std::size_t u = 0; u < terms.size(); ++u)
            if (equal[t][u]) all.insert(signature(u));
        return all;
    }
    /// The smallest term of each class, by relaxation.
    std::vector<int> sizes() const {
        std::vector<int> size(terms.size(), 1 << 20);
        for (std::size_t round = 0; round <= terms.size(); ++round)
            for (std::size_t t = 0; t < terms.size(); ++t) {
                int sum = 1;
                for (const std::size_t child : terms[t].child) sum += size[child];
                for (std::size_t u = 0; u < terms.size(); ++u)
                    if (equal[t][u]) size[u] = std::min(size[u], sum);
            }
        return size;
    }

private:
    void add(const Plain& t) {
        Node node{static_cast<std::uint16_t>(t.symbol), static_cast<std::uint8_t>(t.child.size()), {}};
        for (std::size_t i = 0; i < t.child.size(); ++i) node.child[i] = id[t.child[i]];
        terms.push_back(t);
        id.push_back(graph.add(node));
    }
    void close(const std::vector<std::pair<std::size_t, std::size_t>>& merges) {
        const std::size_t n = terms.size();
        equal.assign(n, std::vector<char>(n));
        for (std::size_t t = 0; t < n; ++t) equal[t][t] = 1;
        for (const auto& [p, q] : merges) equal[p][q] = equal[q][p] = 1;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t k = 0; k < n; ++k)
                for (std::size_t p = 0; p < n; ++p) {
                    if (!equal[p][k]) continue;
                    for (std::size_t q = 0; q < n; ++q)
                        if (equal[k][q] && !equal[p][q]) equal[p][q] = 1, changed = true;
                }
            for (std::size_t p = 0; p < n; ++p)
                for (std::size_t q = 0; q < n; ++q)
                    if (!equal[p][q] && congruent(terms[p], terms[q])) equal[p][q] = 1, changed = true;
        }
    }
    bool congruent(const Plain& p, const Plain& q) const {
        if (p.symbol != q.symbol) return false;
        for (std::size_t i = 0; i < p.child.size(); ++i)
            if (!equal[p.child[i]][q.child[i]]) return false;
        return true;
    }
};

}  // namespace inlay_test::closure
