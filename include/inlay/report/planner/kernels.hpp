// SPDX-License-Identifier: Apache-2.0
/// Kernels for Graphviz: a box for each, in it the operations that it computes, with its name and price above; and, to
/// compare with, the layer as it is written, a kernel for each operation.
#pragma once

#include <inlay/report/egraph/dot.hpp>
#include <inlay/report/planner/listing.hpp>

namespace inlay::inline INLAY_ABI::planner {

namespace detail {

/// A kernel as it is drawn: nodes of the layer, and the values that it stores.
struct DrawnKernel {
    Kernel kernel;
    std::string name;
    std::int64_t ns = 0;
};

template <class Plan>
class Drawing {
public:
    explicit Drawing(const std::vector<DrawnKernel>& kernels) : kernels_(kernels) {}

    std::string dot() {
        std::string out = "digraph kernels {\n  compound=true; rankdir=TB; ranksep=0.3; fontname=\"Helvetica\"; "
                          "fontsize=12; labelloc=t;\n  node [shape=box, style=\"filled,rounded\", "
                          "fontname=\"Helvetica\", fontsize=11, color=\"#666666\", fillcolor=\"#ffffff\"];\n"
                          "  edge [color=\"#666666\", arrowsize=0.6];\n";
        std::int64_t total = 0;
        int launches = 0;
        for (std::size_t k = 0; k < kernels_.size(); ++k) {
            if (is_of_step(k)) total += kernels_[k].ns, ++launches;
            out += cluster(k);
        }
        out += inputs_ + edges_ + "  label=" +
               egraph::detail::quoted_dot(std::to_string(launches) + " kernels a step, " + us_text(total) + " us") +
               ";\n";
        return out + "}\n";
    }

private:
    std::string title(std::size_t k) const {
        const DrawnKernel& d = kernels_[k];
        return d.name + ", " + us_text(d.ns) + " us" +
               (is_of_step(k) ? "" : std::string(", ") + phase_text(d.kernel.phase));
    }
    bool is_of_step(std::size_t k) const { return kernels_[k].kernel.phase == most_phases - 1; }
    static std::string id(std::size_t k, int value) { return "k" + std::to_string(k) + "v" + std::to_string(value); }

    std::string cluster(std::size_t k) {
        const DrawnKernel& d = kernels_[k];
        std::string out = "  subgraph cluster_" + std::to_string(k) +
                          " {\n    style=\"filled,rounded\"; color=\"#666666\"; fillcolor=\"#dcefdc\"; fontsize=10; "
                          "label=" +
                          egraph::detail::quoted_dot(title(k)) + ";\n";
        for (int i = 0; i < d.kernel.inner; ++i) {
            const Inner& in = d.kernel.inside[i];
            out += "    " + id(k, in.value) + " [label=" + egraph::detail::quoted_dot(label<Plan>(in.node)) + "];\n";
            const NodeFacts& node = Plan::facts.node[in.node];
            for (int o = 0; o < node.operands; ++o) edge(node.operand[o], k, in.value);
        }
        return out + "  }\n";
    }
    /// From the value in the same kernel, from the kernel that stores it, or from an input. Weights are left out.
    void edge(int value, std::size_t to, int reader) {
        if (Plan::facts.value[value].phase == 0 || Plan::facts.value[value].rank == 0) return;
        const std::string arrow = " -> " + id(to, reader) + ";\n";
        if (kernels_[to].kernel.node_of(value) >= 0) return static_cast<void>(edges_ += "  " + id(to, value) + arrow);
        for (std::size_t k = 0; k < kernels_.size(); ++k)
            for (int o = 0; o < kernels_[k].kernel.outputs; ++o)
                if (kernels_[k].kernel.output[o] == value)
                    return static_cast<void>(edges_ += "  " + id(k, value) + arrow);
        const NodeFacts& node = Plan::facts.node[Plan::facts.first[value]];
        if (node.operands > 0) return edge(node.operand[0], to, reader);     // a view that is no kernel
        const std::string name = "i" + std::to_string(value);
        if (inputs_.find("  " + name + " ") == std::string::npos)
            inputs_ += "  " + name + " [shape=plaintext, style=\"\", label=" +
                       egraph::detail::quoted_dot(label<Plan>(Plan::facts.first[value]) + "\n" +
                                                  extents_text(Plan::facts.value[value])) +
                       "];\n";
        edges_ += "  " + name + arrow;
    }

    const std::vector<DrawnKernel>& kernels_;
    std::string inputs_, edges_;
};

/// True if a node is no work of its own: a view that strides or another shape of the same memory give.
template <class Plan>
bool is_free(const NodeFacts& n) {
    if (n.symbol.role != Role::view && !n.symbol.sink) return false;
    return n.symbol.strides || Plan::facts.value[n.value].count() == Plan::facts.value[n.operand[0]].count();
}

/// One operation as a kernel. A bias stands in the kernel of its product.
template <class Plan>
void add_operation(std::vector<DrawnKernel>& kernels, int n) {
    const Facts& facts = Plan::facts;
    const NodeFacts& node = facts.node[n];
    const auto value = static_cast<std::uint16_t>(node.value);
    const Inner inside{value, static_cast<std::uint16_t>(n), epilogue};
    if (node.symbol.role == Role::pointwise && node.operands == 2 && facts.value[node.operand[1]].phase == 0 &&
        !kernels.empty() && kernels.back().kernel.core >= 0 && kernels.back().kernel.output[0] == node.operand[0]) {
        Kernel& k = kernels.back().kernel;
        k.inside[k.inner++] = inside;
        k.slot_places[k.slots] = epilogue;
        k.slot[k.slots++] = static_cast<std::uint16_t>(node.operand[1]);
        k.output[0] = value;
        return;
    }
    DrawnKernel d;
    Kernel& k = d.kernel;
    if (node.symbol.role == Role::core) k.core = n;
    k.phase = facts.value[node.value].phase;
    k.outputs = k.inner = 1;
    k.output[0] = value;
    k.inside[0] = inside;
    for (int i = 0; i < node.operands; ++i) {
        const auto operand = static_cast<std::uint16_t>(node.operand[i]);
        if (k.core >= 0 && node.takes_weight(i)) k.weight[k.weights++] = operand;
        else if (k.slot_of(operand) < 0 && facts.value[operand].rank > 0) {
            k.slot_places[k.slots] = k.core >= 0 ? prologue : epilogue;
            k.slot[k.slots++] = operand;
        }
    }
    d.name = k.core >= 0 ? std::string(Plan::name_of(k)) : "";
    kernels.push_back(d);
}

}  // namespace detail

/// The plan's kernels.
template <class Plan>
std::string kernels_dot() {
    std::vector<detail::DrawnKernel> kernels;
    for (int i = 0; i < Plan::covers.best.kernels; ++i) {
        const int c = Plan::covers.best.kernel[i];
        const Kernel k = expand(Plan::facts, Plan::cuts, Plan::candidates, c);
        if (!arranges(Plan::facts, k)) kernels.push_back({k, std::string(Plan::name_of(k)), Plan::prices.ns[c]});
    }
    return detail::Drawing<Plan>(kernels).dot();
}

/// The layer of a plan without rules as it is written, each operation but views of memory a kernel of its own. Prices
/// are those of the same price list.
template <class Plan>
std::string written_dot() {
    static_assert(Plan::rules::size == 0, "inlay: a layer as it is written is that of a plan without rules");
    std::vector<detail::DrawnKernel> kernels;
    for (int n = 0; n < Plan::facts.nodes; ++n) {
        const NodeFacts& node = Plan::facts.node[n];
        if (node.operands == 0 || Plan::facts.value[node.value].phase == 0 || detail::is_free<Plan>(node)) continue;
        detail::add_operation<Plan>(kernels, n);
    }
    for (detail::DrawnKernel& d : kernels) {
        d.ns = price(Plan::facts, d.kernel, Plan::target::info);
        if (d.name.empty()) d.name = "elementwise";
    }
    return detail::Drawing<Plan>(kernels).dot();
}

}  // namespace inlay::inline INLAY_ABI::planner
