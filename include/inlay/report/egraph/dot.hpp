// SPDX-License-Identifier: Apache-2.0
/// An e-graph for Graphviz: a cluster for each class, in it its nodes with their costs, green in all optima, yellow in
/// some, grey in none. Arrows lead from a class to the nodes that have it as an operand.
#pragma once

#include <inlay/report/egraph/picture.hpp>

namespace inlay::inline INLAY_ABI::egraph {

namespace detail {

inline std::string quoted_dot(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') out += "\\n";
        else out += c;
    }
    return out + '"';
}
/// Digits in groups of three.
inline std::string grouped(std::int64_t n) {
    std::string out = std::to_string(n);
    for (std::size_t i = out.size(); i > 3; i -= 3) out.insert(i - 3, ",");
    return out;
}
inline const char* share_color(Share s) {
    return s == Share::in_all ? "#9fd8a4" : s == Share::in_some ? "#ffe58a" : "#e3e3e3";
}
inline std::string dot_name(int node) { return "n" + std::to_string(node); }

}  // namespace detail

/// `unit`: stands behind each cost.
inline std::string dot(const Picture& p, const std::string& unit = "") {
    std::string out = "digraph egraph {\n"
                      "  compound=true; rankdir=TB; ranksep=0.35; fontname=\"Helvetica\"; fontsize=9; "
                      "fontcolor=\"#555555\"; labeljust=l;\n"
                      "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=11, "
                      "color=\"#666666\"];\n"
                      "  edge [color=\"#666666\", arrowsize=0.6];\n";
    std::vector<int> representative(1);
    for (const PicturedClass& c : p.classes) {
        if (c.nodes.empty()) continue;
        const auto id = static_cast<std::size_t>(c.id);
        if (representative.size() <= id) representative.resize(id + 1);
        representative[id] = c.nodes.front().id;
        out += "  subgraph cluster_" + std::to_string(c.id) +
               " {\n    style=\"dashed,rounded\"; color=\"#999999\"; label=" + detail::quoted_dot(c.label) + ";\n";
        for (const PicturedNode& n : c.nodes) {
            const std::string cost = n.cost >= never ? "not allowed" : detail::grouped(n.cost) + unit;
            out += "    " + detail::dot_name(n.id) + " [label=" + detail::quoted_dot(n.symbol + "\n" + cost) +
                   ", fillcolor=\"" + detail::share_color(n.share) + "\"];\n";
        }
        out += "  }\n";
    }
    for (const PicturedClass& c : p.classes)
        for (const PicturedNode& n : c.nodes)
            for (const int child : n.children) {
                out += "  " + detail::dot_name(representative[static_cast<std::size_t>(child)]) + " -> " +
                       detail::dot_name(n.id);
                if (child != c.id) out += " [ltail=cluster_" + std::to_string(child) + "]";
                out += ";\n";
            }
    return out + "}\n";
}

}  // namespace inlay::inline INLAY_ABI::egraph
