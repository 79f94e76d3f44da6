// SPDX-License-Identifier: Apache-2.0
/// Terms of an algebra as types: a symbol over arguments. The same type is the same value, so a type that stands in two
/// places is computed once. Patterns are terms with variables.
#pragma once

#include <inlay/core/types.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::egraph {

/// The number of a node or class of a graph. The first is 1.
using Id = std::uint16_t;
inline constexpr Id none = 0;
inline constexpr int max_arity = 4;

/// `Symbol` over terms. A symbol is an empty struct with `static constexpr const char* name`; constants are symbols
/// without arguments.
template <class Symbol, class... Args>
struct Term {
    static_assert(sizeof...(Args) <= max_arity, "inlay: a term has at most 4 arguments");
    using symbol = Symbol;
    using arguments = types<Args...>;
};

/// Pattern variable: any class, the same one wherever the pattern has the same I.
template <int I>
struct Var {};

/// Symbol variable of a pattern: each symbol S of the language with `Kind::template is<S>`, over as many arguments as
/// the pattern has, and the same symbol wherever the pattern has the same I.
template <int I, class Kind>
struct AnySymbol {};

namespace detail {

/// A term as a value. Equal terms have the same address.
struct Subterm {
    int symbol, arity;
    const Subterm* child[max_arity];
    unsigned hash;
};
template <class... Child>
constexpr Subterm make_subterm(int symbol, const Child*... child) {
    unsigned hash = static_cast<unsigned>(symbol) + 1;
    ((hash = hash * 0x9e3779b1u + (child->hash ^ (child->hash >> 15))), ...);
    return {symbol, static_cast<int>(sizeof...(Child)), {child...}, hash};
}

template <class G, class T>
struct subterm {
    static_assert(sizeof(T) == 0, "inlay: a term to be added to a graph is a Term of Terms, without variables");
};
template <class G, class S, class... Args>
struct subterm<G, Term<S, Args...>> {
    static constexpr Subterm value = make_subterm(G::template symbol_index<S>, &subterm<G, Args>::value...);
};

/// The classes of the subterms added last: else a type that stands in many places is walked once for each of them.
template <class G>
struct TermAdder {
    static constexpr unsigned places = 256;
    G& graph;
    const Subterm* seen[places] = {};
    Id id[places] = {};

    constexpr Id add(const Subterm& t) {
        const unsigned place = (t.hash ^ (t.hash >> 16)) % places;
        // Addresses of unequal terms, or of none, are not compared: g++ has no constant for it under UBSan.
        if (id[place] != none && seen[place]->hash == t.hash && seen[place] == &t) return graph.find(id[place]);
        typename G::node_type node{static_cast<std::uint16_t>(t.symbol), static_cast<std::uint8_t>(t.arity), {}};
        for (int i = 0; i < t.arity; ++i) node.child[i] = add(*t.child[i]);
        seen[place] = &t;
        return id[place] = graph.add(node);
    }
};

}  // namespace detail

/// Adds a Term and all of its arguments. Returns its class, or `none` where the graph has no room.
template <class T, class G>
constexpr Id add_term(G& graph) {
    return detail::TermAdder<G>{graph}.add(detail::subterm<G, T>::value);
}

}  // namespace inlay::inline INLAY_ABI::egraph
