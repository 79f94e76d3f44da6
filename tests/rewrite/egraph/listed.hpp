// SPDX-License-Identifier: Apache-2.0
/// An e-graph that is written down: each class as the list of its nodes, in the interface that extraction reads.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/rewrite/egraph/term.hpp>

namespace inlay_test {

/// At most N nodes, 1 and up. Classes are 1 to N too; the class of a node is the one that the test gives.
template <int N>
struct Listed {
    using Id = inlay::egraph::Id;
    static constexpr int max_nodes = N;
    struct Node {
        Id of = 0;
        int arity = 0;
        Id child[4] = {};
        std::int64_t price = 0;
    };
    Node all[inlay::room_for<N + 1>] = {};
    int count = 0;

    template <class... C>
    constexpr Id add(int of, std::int64_t price, C... children) {
        all[++count] = {static_cast<Id>(of), static_cast<int>(sizeof...(C)), {static_cast<Id>(children)...}, price};
        return static_cast<Id>(count);
    }
    /// Itself; `none` for a number without nodes.
    constexpr Id find(Id c) const { return first(c) != 0 ? c : Id{0}; }
    constexpr const Node& node(Id n) const { return all[n]; }
    constexpr Id first(Id c) const { return from(1, c); }
    constexpr Id next(Id n) const { return from(n + 1, all[n].of); }

private:
    constexpr Id from(int n, Id c) const {
        while (n <= count && all[n].of != c) ++n;
        return static_cast<Id>(n <= count ? n : 0);
    }
};

inline constexpr auto listed_price = [](const auto& graph, auto n) { return graph.node(n).price; };

}  // namespace inlay_test
