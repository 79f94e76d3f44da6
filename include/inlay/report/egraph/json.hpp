// SPDX-License-Identifier: Apache-2.0
/// An e-graph as JSON, in this form, whose order of classes and nodes is that of the picture:
///
///     {"root": 9, "total": 622592, "optima": 2, "complete": true, "classes": [
///       {"id": 1, "label": "…", "nodes": [
///         {"id": 1, "symbol": "WGMMA", "children": [3, 4], "cost": 131072, "chosen": "all"}]}]}
///
/// `children` are classes; `chosen`: in all, some or none of the optima; a cost of null is that of a node that must not
/// be chosen, and a total of null that of a graph without an extraction. `complete`: false where a limit was reached.
#pragma once

#include <inlay/report/egraph/picture.hpp>

#include <cstdio>

namespace inlay::inline INLAY_ABI::egraph {

namespace detail {

inline std::string quoted_json(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned>(static_cast<unsigned char>(c));
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", code);
        if (c == '"' || c == '\\') out += '\\';
        if (code < 0x20) out += escape;
        else out += c;
    }
    return out + '"';
}
inline std::string json_price(std::int64_t price) { return price >= never ? "null" : std::to_string(price); }
inline const char* share_name(Share s) {
    return s == Share::in_all ? "all" : s == Share::in_some ? "some" : "none";
}

}  // namespace detail

inline std::string json(const Picture& p) {
    std::string out = "{\"root\": " + std::to_string(p.root()) + ", \"total\": " + detail::json_price(p.total) +
                      ", \"optima\": " + std::to_string(p.optima) +
                      ", \"complete\": " + (p.complete ? "true" : "false") + ", \"classes\": [";
    for (const PicturedClass& c : p.classes) {
        out += &c == p.classes.data() ? "\n" : ",\n";
        out += "  {\"id\": " + std::to_string(c.id) + ", \"label\": " + detail::quoted_json(c.label) + ", \"nodes\": [";
        for (const PicturedNode& n : c.nodes) {
            out += &n == c.nodes.data() ? "\n" : ",\n";
            out += "    {\"id\": " + std::to_string(n.id) + ", \"symbol\": " + detail::quoted_json(n.symbol) +
                   ", \"children\": [";
            for (const int& child : n.children)
                out += (&child == n.children.data() ? "" : ", ") + std::to_string(child);
            out += "], \"cost\": " + detail::json_price(n.cost) + ", \"chosen\": \"" + detail::share_name(n.share) +
                   "\"}";
        }
        out += "]}";
    }
    return out + "]}\n";
}

}  // namespace inlay::inline INLAY_ABI::egraph
