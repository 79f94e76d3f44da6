// SPDX-License-Identifier: Apache-2.0
/// The choices that an extraction has, laid out for the search of `extract.hpp`: the classes below a root by number,
/// children before parents, and of each class the nodes that can stand in a finite term.
#pragma once

#include <inlay/rewrite/egraph/bits.hpp>
#include <inlay/rewrite/egraph/term.hpp>

namespace inlay::inline INLAY_ABI::egraph {

/// The price of a node that must not be chosen.
inline constexpr std::int64_t never = std::int64_t{1} << 60;

namespace detail {

/// Choices of at most N classes and N nodes.
template <int N>
class Choices {
public:
    using Set = Bits<N>;

    template <class Graph, class Price>
    constexpr Choices(const Graph& graph, Id root, const Price& price_of) {
        number_classes(graph, graph.find(root));
        for (int c = 0; c < classes; ++c) {
            first[c] = static_cast<std::int16_t>(nodes);
            add_nodes(graph, c, price_of);
        }
        first[classes] = static_cast<std::int16_t>(nodes);
        possible = finite_classes();
        drop([this](int, int n) { return !(children[n] - possible).empty(); });
        find_needs();
        drop([this](int c, int n) { return needs[n].contains(c); });  // each of its terms would hold itself
        find_loops();
        for (int c = 0; c < classes; ++c) find_least(c);
        for (int c = 0; c < classes; ++c) sort(c);
    }

    int classes = 0, nodes = 0;
    Id id[room_for<N>] = {};                    ///< the graph's class
    std::int16_t first[room_for<N + 1>] = {};   ///< nodes of class c: [first[c], first[c + 1])
    Id node[room_for<N>] = {};                  ///< the graph's node
    std::int64_t price[room_for<N>] = {};       ///< of a node
    std::int64_t least[room_for<N>] = {};       ///< price of a class's cheapest node
    std::int64_t way[room_for<N>] = {};         ///< of a class: the least price of a way down from it (`extract.hpp`)
    Set children[room_for<N>];                  ///< of a node
    Set needs[room_for<N>];                     ///< of a node: classes in each term that it is the root of, its own aside
    Set always[room_for<N>];                    ///< of a class: itself and classes in each of its terms
    Set loop[room_for<N>];                      ///< of a class: those on a cycle with it
    Set possible;                               ///< classes that have a finite term

    constexpr int root() const { return classes - 1; }
    /// The sum of the least prices of a set of classes.
    constexpr std::int64_t least_of(Set s) const {
        std::int64_t sum = 0;
        for (int c = s.last(); c >= 0; c = s.last()) {
            sum += least[c];
            s.erase(c);
        }
        return sum;
    }

    /// The dearest of the ways down from a set of classes.
    constexpr std::int64_t dearest_way(Set s) const {
        std::int64_t most = 0;
        for (int c = s.last(); c >= 0; c = s.last()) {
            most = larger(most, way[c]);
            s.erase(c);
        }
        return most;
    }

private:
    /// Numbers classes in the order in which a depth-first walk leaves them.
    template <class Graph>
    constexpr void number_classes(const Graph& graph, Id root) {
        Id trail[room_for<N>] = {root};
        number_[root] = open;
        for (int depth = 0; depth >= 0;) {
            const Id at = trail[depth], next = unseen_child(graph, at);
            if (next != none) {
                number_[next] = open;
                trail[++depth] = next;
            } else {
                id[classes] = at;
                number_[at] = static_cast<std::int16_t>(++classes);
                --depth;
            }
        }
    }
    template <class Graph>
    constexpr Id unseen_child(const Graph& graph, Id c) const {
        for (Id n = graph.first(c); n != none; n = graph.next(n))
            for (int i = 0; i < graph.node(n).arity; ++i)
                if (const Id child = graph.find(graph.node(n).child[i]); number_[child] == unseen) return child;
        return none;
    }
    template <class Graph, class Price>
    constexpr void add_nodes(const Graph& graph, int c, const Price& price_of) {
        for (Id n = graph.first(id[c]); n != none; n = graph.next(n)) {
            const std::int64_t paid = price_of(graph, n);
            if (paid >= never) continue;
            for (int i = 0; i < graph.node(n).arity; ++i)
                children[nodes].insert(number_[graph.find(graph.node(n).child[i])] - 1);
            node[nodes] = n;
            price[nodes++] = paid;
        }
    }

    /// Classes of which a node has finite classes alone as children: the least fixed point.
    constexpr Set finite_classes() const {
        Set finite;
        for (bool grown = true; grown;) {
            grown = false;
            for (int c = 0; c < classes; ++c)
                for (int n = first[c]; n < first[c + 1] && !finite.contains(c); ++n)
                    if ((children[n] - finite).empty()) {
                        finite.insert(c);
                        grown = true;
                    }
        }
        return finite;
    }
    /// Removes nodes n of classes c for which `unfit(c, n)`.
    template <class Unfit>
    constexpr void drop(const Unfit& unfit) {
        int kept = 0;
        for (int c = 0; c < classes; ++c) {
            const int begin = first[c], end = first[c + 1];
            first[c] = static_cast<std::int16_t>(kept);
            for (int n = begin; n < end; ++n)
                if (!unfit(c, n)) move(n, kept++);
        }
        nodes = kept;
        first[classes] = static_cast<std::int16_t>(kept);
    }
    constexpr void move(int from, int to) {
        if (from == to) return;
        node[to] = node[from];
        price[to] = price[from];
        children[to] = children[from];
        needs[to] = needs[from];
    }
    /// The union of sets of a node's children.
    constexpr Set below(const Set* of, int n) const {
        Set all, left = children[n];
        for (int c = left.last(); c >= 0; c = left.last()) {
            all = all | of[c];
            left.erase(c);
        }
        return all;
    }
    /// A class is in each term of c if it is c, or below each node of c: the greatest fixed point. A term of c is finite,
    /// so that by induction over its height it holds all of that.
    constexpr void find_needs() {
        for (int c = 0; c < classes; ++c) always[c] = Set::below(classes);
        for (bool shrunk = true; shrunk;) {
            shrunk = false;
            for (int c = 0; c < classes; ++c) {
                Set in_all = Set::below(classes);
                for (int n = first[c]; n < first[c + 1]; ++n) {
                    needs[n] = below(always, n);
                    in_all = in_all & needs[n];
                }
                in_all.insert(c);
                if (in_all == always[c]) continue;
                always[c] = in_all;
                shrunk = true;
            }
        }
    }
    /// Classes on a cycle with c: those that c reaches and that reach c.
    constexpr void find_loops() {
        Set reach[room_for<N>];
        for (bool grown = true; grown;) {
            grown = false;
            for (int c = 0; c < classes; ++c) {
                Set all = reach[c];
                for (int n = first[c]; n < first[c + 1]; ++n) all = all | children[n] | below(reach, n);
                if (all == reach[c]) continue;
                reach[c] = all;
                grown = true;
            }
        }
        for (int c = 0; c < classes; ++c)
            if (reach[c].contains(c))
                for (int other = 0; other < classes; ++other)
                    if (reach[c].contains(other) && reach[other].contains(c)) loop[c].insert(other);
    }
    constexpr void find_least(int c) {
        least[c] = way[c] = never;
        for (int n = first[c]; n < first[c + 1]; ++n) {
            least[c] = smaller(least[c], price[n]);
            way[c] = smaller(way[c], price[n] + dearest_way(children[n] & Set::below(c)));
        }
    }
    /// Puts nodes first that are cheap together with all that they need: good extractions are found early.
    constexpr void sort(int c) {
        for (int n = first[c] + 1; n < first[c + 1]; ++n)
            for (int m = n; m > first[c] && estimate(m) < estimate(m - 1); --m) {
                std::swap(node[m], node[m - 1]);
                std::swap(price[m], price[m - 1]);
                std::swap(children[m], children[m - 1]);
                std::swap(needs[m], needs[m - 1]);
            }
    }
    constexpr std::int64_t estimate(int n) const {
        return price[n] + larger(least_of(needs[n]), dearest_way(children[n]));
    }

    static constexpr std::int16_t unseen = 0, open = -1;  // numbers + 1 otherwise
    std::int16_t number_[room_for<N + 1>] = {};
};

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::egraph
