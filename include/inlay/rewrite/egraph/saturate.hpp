// SPDX-License-Identifier: Apache-2.0
/// Equality saturation: rules are applied until they make nothing equal that was not, or until a limit.
#pragma once

#include <inlay/rewrite/egraph/match.hpp>

namespace inlay::inline INLAY_ABI::egraph {

/// Passes over all rules, and nodes of the graph, duplicates among them. A graph's own `max_nodes` holds too.
struct Limits {
    int iterations = 32, nodes = 1 << 14;
};

/// The reason why saturation ended. `matches`: one root matched a rule in more ways than there is room for.
enum class Stop { fixpoint, iterations, nodes, matches, conflict };

template <int Rules>
struct Saturation {
    int iterations = 0;
    Stop stop = Stop::iterations;
    bool saturated = false;                       ///< the reason is `fixpoint`
    int applied[static_cast<std::size_t>(Rules > 0 ? Rules : 1)] = {};  ///< matches of each rule that joined two classes
};

namespace detail {

inline constexpr int most_matches_of_root = 64;

template <class G>
struct CompiledRule {
    const Pattern* from;
    const Replacement* to;
    bool (*holds)(const G&, const Match&);
};
template <class G, class R>
constexpr CompiledRule<G> compile_rule() {
    static_assert(requires { typename R::from; typename R::to; R::name; R::rounds; },
                  "inlay: a rule has types `from` and `to`, a `name`, and `rounds`, true if it rounds weights once more");
    constexpr const Pattern* from = &pattern<typename G::symbols, typename R::from>;
    constexpr const Replacement* to = &replacement<typename G::symbols, typename R::to>;
    static_assert(binds_all(*from, *to), "inlay: a rule's right side has a variable that its left side has not");
    if constexpr (requires(const G& g, const Match& m) { R::holds(g, m); })
        return {from, to, [](const G& g, const Match& m) -> bool { return R::holds(g, m); }};
    else return {from, to, [](const G&, const Match&) { return true; }};
}
template <class G, class Rules>
inline constexpr CompiledRule<G> compiled_rules[1] = {};
template <class G, class... R>
    requires(sizeof...(R) > 0)
inline constexpr CompiledRule<G> compiled_rules<G, types<R...>>[sizeof...(R)] = {compile_rule<G, R>()...};

/// The class of a rule's right side. `none` if it has nodes that are new and the graph has no room for all of it.
template <class G>
constexpr Id instantiate(G& graph, const Replacement& to, const Match& match, int most_nodes) {
    Id id[most_pattern_nodes] = {};
    const bool room = graph.size() + to.size <= most_nodes;
    for (int n = 0; n < to.size; ++n) {
        const auto& t = to.node[n];
        Node node{t.symbol >= 0 ? static_cast<std::uint16_t>(t.symbol) : match.symbol[t.symbol_variable],
                  static_cast<std::uint8_t>(t.arity), {}};
        for (int i = 0; i < t.arity; ++i) node.child[i] = t.child[i] >= 0 ? id[t.child[i]] : match.var[~t.child[i]];
        id[n] = room ? graph.add(node) : graph.lookup(node);
        if (id[n] == none) return none;
    }
    return to.result >= 0 ? id[to.result] : match.var[~to.result];
}

/// One pass of one rule over the nodes that the graph has now.
template <class G>
struct RulePass {
    G& graph;
    const CompiledRule<G>& rule;
    int most_nodes, applied = 0;
    bool full = false;
    Matches<most_matches_of_root> found = {};

    constexpr void run() {
        Matcher<G, most_matches_of_root> matcher{graph, *rule.from, found};
        for (int n = 1, end = graph.size(); n <= end && !full; ++n) {
            if (!graph.live(static_cast<Id>(n))) continue;
            matcher.search(static_cast<Id>(n));
            if (found.size) apply_found();
        }
    }

private:
    constexpr void apply_found() {
        for (int i = 0, version = graph.version(); i < found.size && !full; ++i) {
            Match& match = found.item[i];
            if (graph.version() != version)  // classes may have lost their names to earlier matches
                for (int v = 0; v < rule.from->variables; ++v) match.var[v] = graph.find(match.var[v]);
            match.root = graph.find(match.root);
            if (!rule.holds(graph, match)) continue;
            const Id to = instantiate(graph, *rule.to, match, most_nodes);
            if (to == none) full = true;
            if (graph.merge(match.root, to)) ++applied, graph.rebuild();
        }
        found.size = 0;
    }
};

}  // namespace detail

/// Applies `Rules`, a list of types, to a graph that `rebuild()` has closed, and leaves it closed. Rules are applied in
/// turn, each to all of its matches; one that merges nothing new counts as not applied.
template <class Rules, class G>
constexpr Saturation<Rules::size> saturate(G& graph, Limits limits = {}) {
    Saturation<Rules::size> result;
    int seen[Rules::size > 0 ? Rules::size : 1] = {};  // 1 + version of the graph that a rule was last applied to
    const int most_nodes = limits.nodes < G::max_nodes ? limits.nodes : G::max_nodes;
    for (bool changed = true; changed;) {
        if (result.iterations == limits.iterations) return result;
        ++result.iterations;
        changed = false;
        for (int r = 0; r < Rules::size; ++r) {
            const int version = graph.version() + 1;
            if (seen[r] == version) continue;
            seen[r] = version;
            detail::RulePass<G> pass{graph, detail::compiled_rules<G, Rules>[r], most_nodes};
            pass.run();
            result.applied[r] += pass.applied;
            changed = changed || pass.applied;
            result.stop = graph.conflict().a != none        ? Stop::conflict
                          : pass.full || graph.limit_reached() ? Stop::nodes
                          : pass.found.dropped              ? Stop::matches
                                                            : Stop::iterations;
            if (result.stop != Stop::iterations) return result;
        }
    }
    result.stop = Stop::fixpoint;
    result.saturated = true;
    return result;
}

}  // namespace inlay::inline INLAY_ABI::egraph
