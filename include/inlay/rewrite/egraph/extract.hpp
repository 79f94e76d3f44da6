// SPDX-License-Identifier: Apache-2.0
/// Exact extraction of the cheapest term of a class, shared parts paid once. An extraction chooses one node of each class
/// that it needs; its total is the sum of the chosen nodes' prices. Cycles are never chosen.
///
/// The search is branch and bound. A partial extraction is bounded from below by the prices of its nodes, and the greater
/// of two sums that each completion pays at least, so that no optimum is cut off:
///   - the least price of each further class that is in every term of a class it needs (`Choices::always`);
///   - the price of the cheapest way down from a class it needs, node by node, along the dearest child of each. Ways
///     lead from classes to those of lower numbers, and count only below all classes that have a node: nothing on them
///     is paid yet.
/// Of a complete extraction the bound is its total.
///
/// A graph is a `Graph`, or has its `max_nodes`, `find`, `first`, `next` and `node`. A price is a function of the graph
/// and a node's number, from 0; `never` forbids the node. The sum of all prices is below `never`.
#pragma once

#include <inlay/rewrite/egraph/choices.hpp>

namespace inlay::inline INLAY_ABI::egraph {

/// Limits of a search: branches that are tried, and optima that are enumerated.
struct SearchLimits {
    int branches = 1'000'000;
    int optima = 1'000;
};

/// A chosen node for each class of an extraction.
template <int N>
struct Extraction {
    std::int64_t total = never;  ///< `never`: no extraction was found
    std::int64_t bound = 0;      ///< no extraction has a lower total
    bool exact = false;          ///< false: the limit of branches was reached
    Id node[room_for<N + 1>] = {};  ///< by class, `none` for classes that are not needed

    constexpr bool found() const { return total < never; }
    /// True if node n of class c is in it.
    constexpr bool chooses(Id c, Id n) const { return node[c] == n; }
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

/// A depth-first search of all extractions whose total is at most the ceiling. `Found::take(search, total)` gets each of
/// them once, and may lower the ceiling or stop the search.
template <int N, class Found>
class Search {
    using Set = Bits<N>;

public:
    constexpr Search(const Choices<N>& choices, Found& found, std::int64_t most, int branches)
        : ceiling(most), choices_(choices), found_(found), branches_(branches) {
        if (!choices.possible.contains(choices.root())) return;
        const Set always = choices.always[choices.root()];
        branch(Set::only(choices.root()), Set(), N, always, 0, choices.least_of(always));
    }

    std::int64_t ceiling;
    bool stop = false;
    constexpr bool exhausted() const { return branches_ < 0; }

    /// The complete extraction that the search is at.
    constexpr Extraction<N> current(std::int64_t total) const {
        Extraction<N> e;
        e.total = total;
        Set left = chosen_;
        for (int c = left.last(); c >= 0; c = left.last()) {
            e.node[choices_.id[c]] = choices_.node[pick_[c]];
            left.erase(c);
        }
        return e;
    }

private:
    /// @param open     classes that are needed and have no node yet
    /// @param chosen   classes that have one
    /// @param lowest   the least number of those
    /// @param counted  classes whose price, or least price, is in the bound
    /// @param paid     prices of chosen nodes
    constexpr void branch(Set open, const Set& chosen, int lowest, const Set& counted, std::int64_t paid,
                          std::int64_t bound) {
        if (open.empty()) {
            chosen_ = chosen;
            found_.take(*this, bound);
            return;
        }
        const int c = open.last();
        open.erase(c);
        const Set with_c = chosen | Set::only(c);
        const int last = smaller(lowest, c);
        for (int n = choices_.first[c]; n < choices_.first[c + 1] && !stop; ++n) {
            const std::int64_t with = bound + choices_.price[n] - choices_.least[c] +
                                      choices_.least_of(choices_.needs[n] - counted);
            if (with > ceiling) continue;
            const Set next = open | (choices_.children[n] - with_c);
            const std::int64_t pays = paid + choices_.price[n];
            if (pays + choices_.dearest_way(next & Set::below(last)) > ceiling) continue;
            if (closes_a_cycle(c, n, chosen)) continue;
            if (--branches_ < 0) {
                stop = true;
                return;
            }
            pick_[c] = static_cast<std::int16_t>(n);
            branch(next, with_c, last, counted | choices_.needs[n], pays, with);
        }
    }
    /// True if chosen nodes lead from node n of class c to c.
    constexpr bool closes_a_cycle(int c, int n, const Set& chosen) const {
        const Set& loop = choices_.loop[c];
        Set below = choices_.children[n] & loop, done;
        for (Set left = below & chosen; !left.empty(); left = (below & chosen) - done) {
            const int x = left.last();
            done.insert(x);
            below = below | (choices_.children[pick_[x]] & loop);
        }
        return below.contains(c);
    }

    const Choices<N>& choices_;
    Found& found_;
    int branches_;
    std::int16_t pick_[room_for<N>] = {};
    Set chosen_;
};

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
