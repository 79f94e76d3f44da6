// SPDX-License-Identifier: Apache-2.0
/// E-matching: all ways in which a pattern's variables can be classes of a graph.
#pragma once

#include <inlay/rewrite/egraph/graph.hpp>
#include <inlay/rewrite/egraph/pattern.hpp>

namespace inlay::inline INLAY_ABI::egraph {

/// Matches in the order in which they were found. `dropped`: there are more than there is room for.
template <int Most>
struct Matches {
    int size = 0;
    bool dropped = false;
    Match item[static_cast<std::size_t>(Most)] = {};

    constexpr void append(const Match& m) {
        if (size == Most) dropped = true;
        else item[size++] = m;
    }
};

namespace detail {

/// A search with one node for each symbol of the pattern, in the pattern's order. Classes of children hold several
/// nodes, so a root may match in several ways; none is found twice, as equal nodes are one.
template <class G, int Most>
struct Matcher {
    const G& graph;
    const Pattern& pattern;
    Matches<Most>& found;
    Match match = {};
    Id chosen[most_pattern_nodes] = {};

    /// All matches whose root is node n.
    constexpr void search(Id n) {
        if (!take(0, n)) return;
        match.root = graph.find(n);
        extend(1);
    }

private:
    constexpr void extend(int at) {
        if (at == pattern.size) return found.append(match);
        const PatternNode& p = pattern.node[at];
        for (Id n = graph.first(graph.node(chosen[p.parent]).child[p.position]); n; n = graph.next(n))
            if (take(at, n)) extend(at + 1);
    }
    /// Node n for the pattern's node `at`, if its symbol fits and its children are what the variables are already.
    constexpr bool take(int at, Id n) {
        const PatternNode& p = pattern.node[at];
        const Node& node = graph.node(n);
        if (node.arity != p.arity || !(p.symbol >= 0 ? node.symbol == p.symbol : takes_symbol(p, node.symbol)))
            return false;
        for (int i = 0; i < p.arity; ++i)
            if (const int v = p.variable[i]; v >= 0) {
                if (p.binds[i]) match.var[v] = node.child[i];
                else if (match.var[v] != node.child[i]) return false;
            }
        chosen[at] = n;
        return true;
    }
    constexpr bool takes_symbol(const PatternNode& p, std::uint16_t symbol) {
        if (!p.accepts[symbol] || !(p.binds_symbol || match.symbol[p.symbol_variable] == symbol)) return false;
        match.symbol[p.symbol_variable] = symbol;
        return true;
    }
};

}  // namespace detail

/// Matches of a pattern in a graph that `rebuild()` has closed, at most so many.
template <class Pattern, int Most = 256, class G>
constexpr Matches<Most> matches_of(const G& graph) {
    Matches<Most> found;
    for (int n = 1; n <= graph.size(); ++n)
        if (const Id id = static_cast<Id>(n); graph.live(id))
            detail::Matcher<G, Most>{graph, detail::pattern<typename G::symbols, Pattern>, found}.search(id);
    return found;
}

}  // namespace inlay::inline INLAY_ABI::egraph
