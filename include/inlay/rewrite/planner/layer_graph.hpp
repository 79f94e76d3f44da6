// SPDX-License-Identifier: Apache-2.0
/// The e-graph of a layer: its terms, and those equal to them by rules.
#pragma once

#include <inlay/rewrite/egraph/graph.hpp>
#include <inlay/rewrite/egraph/saturate.hpp>
#include <inlay/rewrite/planner/flatten.hpp>
#include <inlay/rewrite/planner/survey.hpp>

namespace inlay::inline INLAY_ABI::planner {

inline constexpr int most_results = 8, most_graph_nodes = 240;

/// An e-graph, the classes that the layer returns, and the end of its saturation by so many rules.
template <class G, int Rules>
struct LayerGraph {
    G graph;
    egraph::Saturation<Rules> saturation;
    int results = 0;
    egraph::Id result[most_results] = {};
};

namespace detail {

template <class E>
struct terms_of {
    using type = types<term_of<E>>;
};
template <class... E>
struct terms_of<Outputs<E...>> {
    static_assert(sizeof...(E) >= 1 && sizeof...(E) <= most_results, "inlay: a layer returns one to eight results");
    using type = types<term_of<E>...>;
};

/// A placement by hand is a property of the class of its operand, and so are the records of its rows.
template <class G>
constexpr void apply_pins(G& graph) {
    for (int i = 1; i <= graph.size(); ++i) {
        const auto n = static_cast<egraph::Id>(i);
        if (graph.live(n) && pins<typename G::symbols>[graph.node(n).symbol]) graph.merge(n, graph.node(n).child[0]);
    }
    graph.rebuild();
}

}  // namespace detail

/// The e-graph of the layer whose results are `Terms`, and of what Rules make of them.
template <class G, class Rules, class... Terms>
constexpr LayerGraph<G, Rules::size> layer_graph(types<Terms...>) {
    LayerGraph<G, Rules::size> layer;
    ((layer.result[layer.results++] = egraph::add_term<Terms>(layer.graph)), ...);
    detail::apply_pins(layer.graph);
    layer.saturation = egraph::saturate<Rules>(layer.graph);
    return layer;
}

}  // namespace inlay::inline INLAY_ABI::planner
