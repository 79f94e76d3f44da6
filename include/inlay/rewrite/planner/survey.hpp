// SPDX-License-Identifier: Apache-2.0
/// The facts of a layer out of its e-graph: classes in an order in which they can be computed.
#pragma once

#include <inlay/rewrite/planner/facts.hpp>
#include <inlay/rewrite/planner/language.hpp>
#include <inlay/rewrite/planner/records.hpp>
#include <inlay/rewrite/planner/symbol_facts.hpp>

namespace inlay::inline INLAY_ABI::planner {

namespace detail {

template <class Symbols>
inline constexpr SymbolFacts facts_table[1] = {};
template <class... S>
    requires(sizeof...(S) > 0)
inline constexpr SymbolFacts facts_table<types<S...>>[sizeof...(S)] = {facts_of<S>::value...};

template <class S>
inline constexpr bool is_pin = false;
template <Pin P>
inline constexpr bool is_pin<PinSymbol<P>> = true;
template <>
inline constexpr bool is_pin<Recorded> = true;
template <class Symbols>
inline constexpr bool pins[1] = {};
template <class... S>
    requires(sizeof...(S) > 0)
inline constexpr bool pins<types<S...>>[sizeof...(S)] = {is_pin<S>...};

template <class G>
struct Surveyor {
    using symbols = typename G::symbols;
    enum State : std::uint8_t { unseen, open, closed, dropped };
    const G& graph;
    Facts& facts;
    int storage_bytes;
    State state[G::max_nodes + 1] = {};
    int value_of[G::max_nodes + 1] = {};

    /// Adds a class behind those it reads. A node that reads a class around a cycle is dropped, and a class of such
    /// nodes alone with it.
    constexpr bool add(egraph::Id id) {
        const egraph::Id c = graph.find(id);
        if (state[c] != unseen) return state[c] == closed;
        state[c] = open;
        egraph::Id kept[most_nodes] = {};
        int count = 0;
        for (egraph::Id n = graph.first(c); n != egraph::none; n = graph.next(n)) {
            const egraph::Node& node = graph.node(n);
            if (pins<symbols>[node.symbol]) continue;
            bool ok = true;
            for (int i = 0; ok && i < node.arity; ++i) ok = add(node.child[i]);
            if (ok && count < most_nodes) kept[count++] = n;
        }
        if (count == 0) return state[c] = dropped, false;
        const ClassData& d = graph.data(c);
        ValueFacts v;
        v.rank = d.rank;
        for (int i = 0; i < d.rank; ++i) v.extents[i] = d.extents[i];
        v.bytes = d.fp32 ? 4 : storage_bytes;
        v.phase = static_cast<int>(d.phase);
        v.pin = d.pin;
        v.source = c;
        value_of[c] = facts.add_value(v);
        for (int i = 0; i < count; ++i) facts.add_node(node_facts(kept[i]));
        state[c] = closed;
        return true;
    }

    constexpr NodeFacts node_facts(egraph::Id n) const {
        const egraph::Node& node = graph.node(n);
        NodeFacts f;
        f.symbol = facts_table<symbols>[node.symbol];
        f.source = n;
        f.operands = node.arity;
        for (int i = 0; i < node.arity; ++i) f.operand[i] = value_of[graph.find(node.child[i])];
        return f;
    }
};

}  // namespace detail

/// The classes below `roots`, in an order in which they can be computed. `storage_bytes`: of an element in memory.
template <class G>
constexpr Facts survey(const G& graph, const egraph::Id* roots, int count, int storage_bytes) {
    Facts facts;
    detail::Surveyor<G> surveyor{graph, facts, storage_bytes};
    for (int i = 0; i < count; ++i) {
        if (surveyor.add(roots[i])) facts.add_root(surveyor.value_of[graph.find(roots[i])]);
        else facts.limited = facts.lost = true;
    }
    facts.limited = facts.limited || graph.limit_reached();
    return facts;
}

}  // namespace inlay::inline INLAY_ABI::planner
