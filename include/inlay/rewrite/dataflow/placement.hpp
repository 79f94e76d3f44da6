// SPDX-License-Identifier: Apache-2.0
/// The places of Q and of the scale in attention's loop, as the optima have them: attention's engines read them.
#pragma once

#include <inlay/rewrite/dataflow/optimum.hpp>

namespace inlay::inline INLAY_ABI::dataflow {

struct AttentionPlacement {
    bool query_in_registers = false;  ///< all optima copy Q there before the loop
    bool scale_on_query = false;      ///< all optima scale Q before the loop: none scales the scores

    constexpr bool operator==(const AttentionPlacement&) const = default;
};

/// The rules of a list that round no value again.
template <class Rules>
struct exact_rules_of;
template <class... R>
struct exact_rules_of<types<R...>> {
    using type = join_types<types<>, std::conditional_t<R::rounds, types<>, types<R>>...>;
};
using exact_rules = typename exact_rules_of<rules>::type;

namespace detail {

template <class Graph, class Optima>
constexpr AttentionPlacement placement_in(const Graph& graph, const Optima& optima) {
    constexpr int ldr = inlay::detail::index_in<typename Graph::symbols, Ldr>;
    AttentionPlacement place;
    for (egraph::Id n = 1; n <= graph.size(); ++n) {
        const egraph::Node& node = graph.node(n);
        if (!graph.live(n) || optima.share(n) != egraph::Share::in_all || node.arity != 1) continue;
        if (node.symbol == ldr) place.query_in_registers = true;
        for (egraph::Id m = graph.first(node.child[0]); m != egraph::none; m = graph.next(m))
            if (graph.node(m).symbol == ldr) place.scale_on_query = true;
    }
    return place;
}

}  // namespace detail

/// The placement for scores that are Out times a number. The tiles' sizes do not matter where the loop has two iterations
/// or more. `Rules`: those of which the plan may make use; the engines take exact ones, which leave the scale at the
/// scores, in fp32, where it costs no bytes either.
template <class Tiles = AttentionTiles<>, class Rules = exact_rules>
inline constexpr AttentionPlacement attention_placement = detail::placement_in(
    saturated<naive_attention<Tiles, Mul<Out, Param<0>>>, Rules>.graph,
    optima<naive_attention<Tiles, Mul<Out, Param<0>>>, Stores::once, Rules>);

}  // namespace inlay::inline INLAY_ABI::dataflow
