// SPDX-License-Identifier: Apache-2.0
/// Facts of a tile as a line of text, the label of its class in reports.
#pragma once

#include <inlay/rewrite/dataflow/language.hpp>

#include <string>

namespace inlay::inline INLAY_ABI::dataflow {

/// "128 x 64, 2 B, shared, 8 times".
inline std::string text(const Tile& t) {
    const char* const region = t.region == Region::global   ? "global"
                               : t.region == Region::shared ? "shared"
                                                            : "registers";
    return std::to_string(t.rows) + " x " + std::to_string(t.cols) + ", " + std::to_string(t.element_bytes) + " B, " +
           region + ", " + (t.iterations == 1 ? "once" : std::to_string(t.iterations) + " times");
}

/// The tile of a class, for `egraph::picture`.
struct TileLabel {
    template <class Graph>
    std::string operator()(const Graph& graph, egraph::Id c) const {
        return text(graph.data(c));
    }
};
inline constexpr TileLabel tile_label{};

}  // namespace inlay::inline INLAY_ABI::dataflow
