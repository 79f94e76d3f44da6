// SPDX-License-Identifier: Apache-2.0
/// The language of a graph: its symbols, numbered, and data that each class of nodes has.
///
///     struct Language {
///         using symbols = types<…>;
///         struct Data { …; bool operator==(const Data&) const = default; };
///         // Data of a node from those of its children: graph.data(node.child[0]), …
///         template <class G> static constexpr Data make(const G& graph, const Node& node);
///         // Joins the data of equal terms into the first. False if they contradict each other.
///         static constexpr bool join(Data&, const Data&);
///     };
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/rewrite/egraph/term.hpp>

namespace inlay::inline INLAY_ABI::egraph {

/// A symbol over classes. `symbol` is a position in the language's list; children past `arity` are `none`.
struct Node {
    std::uint16_t symbol = 0;
    std::uint8_t arity = 0;
    Id child[max_arity] = {};

    friend constexpr bool operator==(const Node& a, const Node& b) {
        return a.symbol == b.symbol && a.arity == b.arity && a.child[0] == b.child[0] && a.child[1] == b.child[1] &&
               a.child[2] == b.child[2] && a.child[3] == b.child[3];
    }
};

namespace detail {

template <class Symbols, class S>
constexpr int index_of_symbol() {
    constexpr int i = inlay::detail::index_in<Symbols, S>;
    static_assert(i >= 0, "inlay: a symbol of a term or rule is not in the language's list; symbols_of makes one");
    return i;
}

template <class Symbols>
inline constexpr const char* symbol_names[1] = {""};
template <class... S>
    requires(sizeof...(S) > 0)
inline constexpr const char* symbol_names<types<S...>>[sizeof...(S)] = {S::name...};

/// "Add(x, Mul)": a node and the symbols of its children.
template <class G>
Text node_text(const G& graph, Id n) {
    const Node& node = graph.node(n);
    Text text(G::symbol_name(node.symbol));
    for (int i = 0; i < node.arity; ++i) {
        text += i ? ", " : "(";
        text += G::symbol_name(graph.node(node.child[i]).symbol);
    }
    if (node.arity) text += ")";
    return text;
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::egraph
