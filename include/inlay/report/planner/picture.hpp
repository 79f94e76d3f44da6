// SPDX-License-Identifier: Apache-2.0
/// The e-graph of a plan's layer as a picture, for `egraph::dot` and `egraph::json`: nodes of the best cover are green,
/// those of the runner-up alone yellow, others grey. A kernel's price stands at its core, or without one at its output;
/// nodes around it cost nothing more, so that the green ones add up to what all kernels take once.
#pragma once

#include <inlay/report/egraph/picture.hpp>
#include <inlay/report/planner/labels.hpp>

namespace inlay::inline INLAY_ABI::planner {

namespace detail {

/// The node at which a kernel's price stands.
constexpr int priced_node(const Kernel& k) { return k.core >= 0 ? k.core : k.node_of(k.output[0]); }

/// Marks of nodes by the kernels that hold them.
struct Marks {
    bool held[most_nodes] = {};
    std::int64_t ns[most_nodes] = {};

    template <class Plan>
    void add(const Cover& cover) {
        bool read[most_values] = {};
        for (int i = 0; i < cover.kernels; ++i) {
            const Kernel k = expand(Plan::facts, Plan::cuts, Plan::candidates, cover.kernel[i]);
            for (int n = 0; n < k.inner; ++n) held[k.inside[n].node] = true;
            for (int s = 0; s < k.slots; ++s) read[k.slot[s]] = true;
            for (int w = 0; w < k.weights; ++w) read[k.weight[w]] = true;
            ns[priced_node(k)] += Plan::prices.ns[cover.kernel[i]];
        }
        // Inputs, and what is computed at load: no kernel holds them.
        for (int v = Plan::facts.values - 1; v >= 0; --v) {
            const int n = Plan::facts.first[v];
            if (!read[v] || !Plan::facts.is_given(v)) continue;
            held[n] = true;
            for (int i = 0; i < Plan::facts.node[n].operands; ++i) read[Plan::facts.node[n].operand[i]] = true;
        }
    }
};

}  // namespace detail

template <class Plan>
egraph::Picture picture() {
    const Facts& facts = Plan::facts;
    detail::Marks best, second;
    best.add<Plan>(Plan::covers.best);
    second.add<Plan>(Plan::covers.runner_up);
    std::int64_t cheapest[most_nodes] = {};
    for (int i = 0; i < Plan::candidates.count; ++i) {
        const Kernel k = expand(facts, Plan::cuts, Plan::candidates, i);
        std::int64_t& least = cheapest[detail::priced_node(k)];
        if (least == 0 || Plan::prices.ns[i] < least) least = Plan::prices.ns[i];
    }
    egraph::Picture p{Plan::covers.best.total, 1, Plan::covers.exact, {}};
    for (int v = 0; v < facts.values; ++v) {
        egraph::PicturedClass c{v, detail::extents_text(facts.value[v]), {}};
        for (int n = facts.first[v]; n < facts.first[v + 1]; ++n) {
            const NodeFacts& node = facts.node[n];
            const egraph::Share share = best.held[n]     ? egraph::Share::in_all
                                        : second.held[n] ? egraph::Share::in_some
                                                         : egraph::Share::in_none;
            const std::int64_t ns = best.held[n] ? best.ns[n] : second.held[n] ? second.ns[n] : cheapest[n];
            c.nodes.push_back({n, label<Plan>(n), {}, ns, share});
            for (int i = 0; i < node.operands; ++i) c.nodes.back().children.push_back(node.operand[i]);
        }
        p.classes.push_back(c);
    }
    return p;
}

}  // namespace inlay::inline INLAY_ABI::planner
