// SPDX-License-Identifier: Apache-2.0
/// Exact extraction of the cheapest term of a class, shared parts paid once. An extraction chooses one node of each class
/// that it needs; its total is the sum of the chosen nodes' prices. Cycles are never chosen.
///
/// The result is exact: `search.hpp` says by which bound. Where a limit is reached, it says so.
///
/// A graph is a `Graph`, or has its `max_nodes`, `find`, `first`, `next` and `node`. A price is a function of the graph
/// and a node's number, from 0; `never` forbids the node. The sum of all prices is below `never`.
#pragma once

#include <inlay/rewrite/egraph/search.hpp>

namespace inlay::inline INLAY_ABI::egraph {

/// Limits of a search: branches that are tried, and optima that are enumerated.
struct SearchLimits {
    int branches = 1'000'000;
    int optima = 1'000;
};

/// The part that a node has in the optima.
enum class Share { in_none, in_some, in_all };

/// All extractions of the least total.
template <int N>
struct Optima {
    std::int64_t total = never;
    int count = 0;
    bool complete = false;        ///< false: a limit was reached, and `count` and the shares are of those found
    std::uint16_t times[room_for<N + 1>] = {};  ///< optima that choose a node
    Extraction<N> first;

    constexpr Share share(Id n) const {
        return times[n] == 0 ? Share::in_none : times[n] == count ? Share::in_all : Share::in_some;
    }
};

namespace detail {

/// Keeps the cheapest extraction.
template <int N>
struct Cheapest {
    Extraction<N> best;

    template <class S>
    constexpr void take(S& search, std::int64_t total) {
        best = search.current(total);
        search.ceiling = total - 1;
    }
};
/// Keeps the least total above another one.
struct NextTotal {
    std::int64_t above, least = never;

    template <class S>
    constexpr void take(S& search, std::int64_t total) {
        if (total <= above) return;
        least = total;
        search.ceiling = total - 1;
    }
};
/// Hands each extraction to a function.
template <class Visit>
struct Each {
    const Visit& visit;
    int left;

    template <class S>
    constexpr void take(S& search, std::int64_t total) {
        search.stop = --left < 0;
        if (!search.stop) visit(search.current(total));
    }
};

template <int N>
constexpr Extraction<N> cheapest(const Choices<N>& choices, const SearchLimits& limits) {
    Cheapest<N> found;
    const Search search(choices, found, never - 1, limits.branches);
    found.best.exact = !search.exhausted();
    const bool possible = choices.possible.contains(choices.root());
    found.best.bound = found.best.exact ? found.best.total
                       : possible       ? choices.least_of(choices.always[choices.root()])
                                        : never;
    return found.best;
}
/// Visits all extractions of a total. False: a limit was reached.
template <int N, class Visit>
constexpr bool each_of_total(const Choices<N>& choices, std::int64_t total, const Visit& visit,
                             const SearchLimits& limits) {
    Each<Visit> found{visit, limits.optima};
    const Search search(choices, found, total, limits.branches);
    return !search.stop;
}

}  // namespace detail

/// The cheapest extraction of the class of `root`.
template <class Graph, class Price>
constexpr auto extract(const Graph& graph, Id root, const Price& price, const SearchLimits& limits = {}) {
    return detail::cheapest(detail::Choices<Graph::max_nodes>(graph, root, price), limits);
}
/// Calls `visit(extraction)` for each extraction of the least total, at most `limits.optima` times.
/// @returns false if a limit was reached, so that there may be more of them
template <class Graph, class Price, class Visit>
constexpr bool each_optimal(const Graph& graph, Id root, const Price& price, const Visit& visit,
                            const SearchLimits& limits = {}) {
    const detail::Choices<Graph::max_nodes> choices(graph, root, price);
    const auto best = detail::cheapest(choices, limits);
    return best.exact && detail::each_of_total(choices, best.total, visit, limits);
}
/// The optima as a whole: their number, and the share that each node has in them.
template <class Graph, class Price>
constexpr auto all_optimal(const Graph& graph, Id root, const Price& price, const SearchLimits& limits = {}) {
    constexpr int N = Graph::max_nodes;
    const detail::Choices<N> choices(graph, root, price);
    Optima<N> all;
    all.first = detail::cheapest(choices, limits);
    all.total = all.first.total;
    if (!all.first.found()) return all;
    const auto count = [&](const Extraction<N>& e) {
        ++all.count;
        for (const Id n : e.node)
            if (n != none) ++all.times[n];
    };
    all.complete = all.first.exact && detail::each_of_total(choices, all.total, count, limits);
    return all;
}
/// The least total of an extraction that is above the optimum, `never` if there is none or a limit was reached.
template <class Graph, class Price>
constexpr std::int64_t runner_up(const Graph& graph, Id root, const Price& price, const SearchLimits& limits = {}) {
    const detail::Choices<Graph::max_nodes> choices(graph, root, price);
    const auto best = detail::cheapest(choices, limits);
    detail::NextTotal next{best.total};
    if (!best.exact || !best.found()) return never;
    const detail::Search search(choices, next, never - 1, limits.branches);
    return search.exhausted() ? never : next.least;
}

}  // namespace inlay::inline INLAY_ABI::egraph
