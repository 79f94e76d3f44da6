// SPDX-License-Identifier: Apache-2.0
/// The dataflow that moves the fewest bytes among all that rules make of one: saturation and exact extraction at compile
/// time, each a constant of its own.
#pragma once

#include <inlay/rewrite/dataflow/attention.hpp>
#include <inlay/rewrite/dataflow/rules.hpp>
#include <inlay/rewrite/egraph/extract.hpp>
#include <inlay/rewrite/egraph/saturate.hpp>

namespace inlay::inline INLAY_ABI::dataflow {

/// All dataflows that the rules in the list `Rules` make of the term T.
template <class T, class Rules = rules>
struct Saturated {
    static_assert(tile_of<T>.valid,
                  "inlay: an operation of the dataflow does not take its operands: LDS copies from global memory, WGMMA "
                  "multiplies [m, k] in shared memory or registers by [k, n] in shared memory, Elementwise and STS take "
                  "registers, STG takes shared memory");
    using graph_type = egraph::Graph<Language<egraph::symbols_of<T, Rules>>, 64>;
    egraph::Id root = egraph::none;
    graph_type graph;
    egraph::Saturation<Rules::size> saturation;

    constexpr Saturated() {
        root = egraph::add_term<T>(graph);
        saturation = egraph::saturate<Rules>(graph);
    }
};
template <class T, class Rules = rules>
inline constexpr Saturated<T, Rules> saturated{};

/// All dataflows of the fewest bytes.
template <class T, Stores stores = Stores::each_iteration, class Rules = rules>
inline constexpr auto optima =
    egraph::all_optimal(saturated<T, Rules>.graph, saturated<T, Rules>.root, Traffic{stores});

/// The fewest bytes that are more than the optimum's.
template <class T, Stores stores = Stores::each_iteration, class Rules = rules>
inline constexpr std::int64_t next_total =
    egraph::runner_up(saturated<T, Rules>.graph, saturated<T, Rules>.root, Traffic{stores});

}  // namespace inlay::inline INLAY_ABI::dataflow
