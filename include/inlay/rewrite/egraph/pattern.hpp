// SPDX-License-Identifier: Apache-2.0
/// Both sides of a rule as small tables: types are read once, and the graph is searched by values.
#pragma once

#include <inlay/rewrite/egraph/rule.hpp>

namespace inlay::inline INLAY_ABI::egraph::detail {

inline constexpr int most_pattern_nodes = 24;

/// A symbol of a pattern, and its children that are variables. Those that are symbols have nodes of their own, after it.
struct PatternNode {
    int symbol = -1;                ///< in the language's list, -1: a symbol variable
    int symbol_variable = 0;
    bool binds_symbol = false;      ///< false: the symbol variable has its symbol already
    const bool* accepts = nullptr;  ///< symbols that the variable takes
    int arity = 0;
    int parent = 0, position = 0;   ///< this is child `position` of pattern node `parent`
    int variable[max_arity] = {-1, -1, -1, -1};
    bool binds[max_arity] = {};     ///< false: the variable has its class already
};
struct Pattern {
    int size = 0, variables = 0;
    PatternNode node[most_pattern_nodes] = {};
    bool bound[most_variables] = {}, symbol_bound[most_symbol_variables] = {};
};

/// Nodes to add, arguments first. A child or the result is the node at that place, or ~v for the class of Var<v>.
struct Replacement {
    int size = 0, result = 0;
    struct {
        int symbol = -1, symbol_variable = 0, arity = 0, child[max_arity] = {};
    } node[most_pattern_nodes] = {};
};

/// True for each symbol of a kind.
template <class Symbols, class Kind>
inline constexpr bool accepted[1] = {};
template <class... S, class Kind>
    requires(sizeof...(S) > 0)
inline constexpr bool accepted<types<S...>, Kind>[sizeof...(S)] = {Kind::template is<S>...};

template <class T>
inline constexpr int variable_of = -1;
template <int I>
inline constexpr int variable_of<Var<I>> = I;

template <class T>
struct type_tag {};

template <class Symbols>
struct PatternReader {
    Pattern p;

    template <class S, class... Args>
    constexpr void read(type_tag<Term<S, Args...>>, int parent = 0, int position = 0) {
        const int at = p.size++;
        PatternNode& n = p.node[at];
        n.arity = sizeof...(Args);
        n.parent = parent, n.position = position;
        read_symbol(type_tag<S>{}, n);
        // Variables first, as a match binds them before it goes down.
        int i = 0;
        (read_variable(variable_of<Args>, i++, n), ...);
        i = 0;
        (read(type_tag<Args>{}, at, i++), ...);
    }
    template <int I>
    constexpr void read(type_tag<Var<I>>, int, int) {
        static_assert(I >= 0 && I < most_variables, "inlay: the variables of a rule are Var<0> to Var<7>");
    }

private:
    template <class S>
    constexpr void read_symbol(type_tag<S>, PatternNode& n) {
        n.symbol = index_of_symbol<Symbols, S>();
    }
    template <int I, class Kind>
    constexpr void read_symbol(type_tag<AnySymbol<I, Kind>>, PatternNode& n) {
        static_assert(I >= 0 && I < most_symbol_variables,
                      "inlay: the symbol variables of a rule are AnySymbol<0, Kind> to AnySymbol<3, Kind>");
        n.symbol_variable = I;
        n.accepts = accepted<Symbols, Kind>;
        n.binds_symbol = !p.symbol_bound[I];
        p.symbol_bound[I] = true;
    }
    constexpr void read_variable(int v, int i, PatternNode& n) {
        n.variable[i] = v;
        if (v < 0) return;
        n.binds[i] = !p.bound[v];
        p.bound[v] = true;
        if (p.variables <= v) p.variables = v + 1;
    }
};

template <class Symbols>
struct ReplacementReader {
    Replacement r;

    template <class S, class... Args>
    constexpr int read(type_tag<Term<S, Args...>>) {
        const int child[max_arity + 1] = {read(type_tag<Args>{})...};
        auto& n = r.node[r.size];
        n.arity = sizeof...(Args);
        for (int i = 0; i < n.arity; ++i) n.child[i] = child[i];
        read_symbol(type_tag<S>{}, n);
        return r.size++;
    }
    template <int I>
    constexpr int read(type_tag<Var<I>>) {
        static_assert(I >= 0 && I < most_variables, "inlay: the variables of a rule are Var<0> to Var<7>");
        return ~I;
    }

private:
    template <class S>
    constexpr void read_symbol(type_tag<S>, auto& n) {
        n.symbol = index_of_symbol<Symbols, S>();
    }
    template <int I, class Kind>
    constexpr void read_symbol(type_tag<AnySymbol<I, Kind>>, auto& n) {
        n.symbol_variable = I;
    }
};

/// Symbols in a pattern: the room that its table needs.
template <class T>
inline constexpr int nodes_in = 0;
template <class S, class... Args>
inline constexpr int nodes_in<Term<S, Args...>> = (1 + ... + nodes_in<Args>);

template <class Symbols, class T>
constexpr Pattern read_pattern() {
    static_assert(nodes_in<T> > 0, "inlay: a rule's left side is a Term");
    static_assert(nodes_in<T> <= most_pattern_nodes, "inlay: a side of a rule has at most 24 symbols");
    PatternReader<Symbols> reader;
    reader.read(type_tag<T>{});
    return reader.p;
}
template <class Symbols, class T>
inline constexpr Pattern pattern = read_pattern<Symbols, T>();

template <class Symbols, class T>
constexpr Replacement read_replacement() {
    static_assert(nodes_in<T> <= most_pattern_nodes, "inlay: a side of a rule has at most 24 symbols");
    ReplacementReader<Symbols> reader;
    reader.r.result = reader.read(type_tag<T>{});
    return reader.r;
}
template <class Symbols, class T>
inline constexpr Replacement replacement = read_replacement<Symbols, T>();

/// True if the left side gives a class or symbol to each variable of the right one.
constexpr bool binds_all(const Pattern& from, const Replacement& to) {
    bool all = to.result >= 0 || from.bound[~to.result];
    for (int n = 0; n < to.size; ++n) {
        all = all && (to.node[n].symbol >= 0 || from.symbol_bound[to.node[n].symbol_variable]);
        for (int i = 0; i < to.node[n].arity; ++i)
            all = all && (to.node[n].child[i] >= 0 || from.bound[~to.node[n].child[i]]);
    }
    return all;
}

}  // namespace inlay::inline INLAY_ABI::egraph::detail
