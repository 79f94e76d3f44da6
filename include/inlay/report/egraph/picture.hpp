// SPDX-License-Identifier: Apache-2.0
/// An e-graph as its reports show it: the classes below a root, with the price and the share in the optima of each node.
#pragma once

#include <inlay/rewrite/egraph/extract.hpp>
#include <inlay/rewrite/egraph/graph.hpp>

#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI::egraph {

struct PicturedNode {
    int id = 0;
    std::string symbol;
    std::vector<int> children;  ///< classes
    std::int64_t cost = 0;
    Share share = Share::in_none;
};
struct PicturedClass {
    int id = 0;
    std::string label;
    std::vector<PicturedNode> nodes;
};
/// Classes come after those below them, cycles aside, and the root last.
struct Picture {
    std::int64_t total = 0;
    int optima = 0;
    bool complete = false;
    std::vector<PicturedClass> classes;

    int root() const { return classes.back().id; }
};

namespace detail {

template <class Graph, class Label>
class Painter {
public:
    Painter(const Graph& graph, const Label& label) : graph_(graph), label_(label), seen_(Graph::max_nodes + 1) {}

    template <class Price, class Optima>
    void paint(Picture& picture, Id c, const Price& price, const Optima& optima) {
        if (seen_[c]) return;
        seen_[c] = true;
        PicturedClass shown{c, label_(graph_, c), {}};
        for (Id n = graph_.first(c); n != none; n = graph_.next(n)) {
            const Node& node = graph_.node(n);
            shown.nodes.push_back({n, graph_.symbol_name(node.symbol), {}, price(graph_, n), optima.share(n)});
            for (int i = 0; i < node.arity; ++i) {
                const Id child = graph_.find(node.child[i]);
                shown.nodes.back().children.push_back(child);
                paint(picture, child, price, optima);
            }
        }
        picture.classes.push_back(shown);
    }

private:
    const Graph& graph_;
    const Label& label_;
    std::vector<bool> seen_;
};

}  // namespace detail

/// Label of a class that has none.
struct NoLabel {
    template <class Graph>
    std::string operator()(const Graph&, Id) const {
        return {};
    }
};

/// The classes below `root`. `label(graph, class)`: a line of text above a class.
template <class Graph, class Price, class Label = NoLabel>
Picture picture(const Graph& graph, Id root, const Price& price, const Label& label = {}) {
    const auto optima = all_optimal(graph, root, price);
    Picture p{optima.total, optima.count, optima.complete, {}};
    detail::Painter<Graph, Label>(graph, label).paint(p, graph.find(root), price, optima);
    return p;
}

}  // namespace inlay::inline INLAY_ABI::egraph
