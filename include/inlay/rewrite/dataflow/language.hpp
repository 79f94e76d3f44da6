// SPDX-License-Identifier: Apache-2.0
/// Dataflows as a language of e-graphs, and the price of a node in bytes.
#pragma once

#include <inlay/rewrite/dataflow/operations.hpp>
#include <inlay/rewrite/egraph/graph.hpp>

namespace inlay::inline INLAY_ABI::dataflow {

namespace detail {

template <class S>
constexpr Tile tile_of_node(const Tile* operands) {
    if constexpr (requires { S::tile(); }) return S::tile();
    else if constexpr (requires { S::tile(*operands); }) return S::tile(operands[0]);
    else return S::tile(operands[0], operands[1]);
}
template <class S>
constexpr std::int64_t traffic_of_node(Stores stores, const Tile* operands) {
    if constexpr (requires { S::traffic(stores); }) return S::traffic(stores);
    else if constexpr (requires { S::traffic(stores, *operands); }) return S::traffic(stores, operands[0]);
    else return S::traffic(stores, operands[0], operands[1]);
}

template <class Symbols>
struct functions_of;
template <class... S>
struct functions_of<types<S...>> {
    static constexpr Tile (*tile[sizeof...(S)])(const Tile*) = {tile_of_node<S>...};
    static constexpr std::int64_t (*traffic[sizeof...(S)])(Stores, const Tile*) = {traffic_of_node<S>...};
};

struct Operands {
    Tile tile[egraph::max_arity];

    template <class Graph>
    constexpr Operands(const Graph& graph, const egraph::Node& node) {
        for (int i = 0; i < node.arity; ++i) tile[i] = graph.data(node.child[i]);
    }
};

}  // namespace detail

/// A language of the operations in a list. Equal terms have equal tiles.
template <class Symbols>
struct Language {
    using symbols = Symbols;
    using Data = Tile;

    template <class Graph>
    static constexpr Tile make(const Graph& graph, const egraph::Node& node) {
        return detail::functions_of<Symbols>::tile[node.symbol](detail::Operands(graph, node).tile);
    }
    static constexpr bool join(Tile& a, const Tile& b) { return a == b; }
};

/// The price of a node: bytes that it moves.
struct Traffic {
    Stores stores = Stores::each_iteration;

    template <class Graph>
    constexpr std::int64_t operator()(const Graph& graph, egraph::Id n) const {
        using functions = detail::functions_of<typename Graph::symbols>;
        const egraph::Node& node = graph.node(n);
        return functions::traffic[node.symbol](stores, detail::Operands(graph, node).tile);
    }
};

/// The tile that a term computes.
template <class T>
inline constexpr Tile tile_of{};
template <class S, class... Args>
inline constexpr Tile tile_of<egraph::Term<S, Args...>> = S::tile(tile_of<Args>...);

/// Bytes that the root of a term moves.
template <class T, Stores stores = Stores::each_iteration>
inline constexpr std::int64_t traffic_of = 0;
template <class S, class... Args, Stores stores>
inline constexpr std::int64_t traffic_of<egraph::Term<S, Args...>, stores> = S::traffic(stores, tile_of<Args>...);

namespace detail {

template <class T>
struct subterms;
template <class S, class... Args>
struct subterms<egraph::Term<S, Args...>> {
    using type = unite_types<types<>, typename subterms<Args>::type..., types<egraph::Term<S, Args...>>>;
};
template <Stores stores, class... T>
constexpr std::int64_t sum_of_traffic(types<T...>) {
    return (std::int64_t{0} + ... + traffic_of<T, stores>);
}

}  // namespace detail

/// Bytes that a term moves as it is written, each distinct part once.
template <class T, Stores stores = Stores::each_iteration>
inline constexpr std::int64_t total_traffic =
    detail::sum_of_traffic<stores>(typename detail::subterms<T>::type{});

}  // namespace inlay::inline INLAY_ABI::dataflow
