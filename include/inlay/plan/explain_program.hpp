// SPDX-License-Identifier: Apache-2.0
/// `explain` for a whole program: every kernel, then launches, work and savings by block, by frame and by fusion.
#pragma once

#include <inlay/plan/explain.hpp>

#include <map>

namespace inlay::inline INLAY_ABI {

namespace detail {

struct Total {
    int launches = 0;
    double flops = 0, bytes = 0, saved = 0;
    void add(const Launch& l) {
        ++launches;
        flops += l.flops;
        bytes += l.bytes();
        saved += l.saved();
    }
};

/// "down_blocks.0" of "down_blocks.0.resnets.1.conv1", "mid_block" of "mid_block.…", "conv_in" of itself.
inline std::string block_of(const std::string& layer) {
    const auto first = layer.find('.');
    if (first == layer.npos || first + 1 >= layer.size()) return layer;
    if (layer[first + 1] < '0' || layer[first + 1] > '9') return layer.substr(0, first);
    return layer.substr(0, layer.find('.', first + 1));
}

inline std::string pad(std::string s, std::size_t width) {
    if (s.size() < width) s.append(width - s.size(), ' ');
    return s;
}
inline std::string pad_left(std::string s, std::size_t width) {
    if (s.size() < width) s.insert(0, width - s.size(), ' ');
    return s;
}
inline std::string row(const std::string& what, const Total& t) {
    return pad(what, 20) + pad_left(std::to_string(t.launches), 9) + pad_left(scaled(t.flops, "FLOP"), 14) +
           pad_left(scaled(t.bytes, "B"), 11) + pad_left(scaled(t.saved, "B"), 11) + "\n";
}

}  // namespace detail

inline std::string explain_program(const std::vector<Launch>& launches, const TargetInfo& t) {
    using namespace detail;
    std::string s;
    std::vector<std::string> order;
    std::map<std::string, Total> blocks, frames;
    std::map<std::string, Fusion> fusions;
    std::map<std::string, int> counts;
    Total all;
    double roofline = 0;
    for (const Launch& l : launches) {
        s += explain(l, t) + "\n";
        const std::string block = block_of(l.layer);
        if (!blocks.contains(block)) order.push_back(block);
        blocks[block].add(l);
        frames[l.frame].add(l);
        all.add(l);
        for (const Fusion& f : l.fusions) {
            fusions[f.kind].bytes += f.bytes;
            ++counts[f.kind];
        }
        if (t.bandwidth_gbs > 0)
            roofline += std::max(l.bytes() / (t.bandwidth_gbs * 1e9),
                                 l.matrix() || l.frame == "attention" ? l.flops / (matrix_rate(t, l.dtype) * 1e12) : 0.0);
    }
    const std::string head = pad_left("launches", 9) + pad_left("work", 14) + pad_left("moved", 11) + pad_left("saved", 11) + "\n";
    s += pad("block", 20) + head;
    for (const std::string& b : order) s += row(b, blocks[b]);
    s += row("total", all) + "\n" + pad("frame", 20) + head;
    for (const auto& [frame, total] : frames) s += row(frame, total);
    s += "\n" + pad("fused", 20) + pad_left("launches", 9) + pad_left("saved", 36) + "\n";
    int fused = 0;
    for (const auto& [kind, f] : fusions) {
        s += pad(kind, 20) + pad_left(std::to_string(counts[kind]), 9) + pad_left(scaled(f.bytes, "B"), 36) + "\n";
        fused += counts[kind];
    }
    s += pad("total", 20) + pad_left(std::to_string(fused), 9) + pad_left(scaled(all.saved, "B"), 36) + "\n";
    if (roofline > 0) {
        char line[96];
        std::snprintf(line, sizeof line, "\nAt least %.2f ms on %s at its datasheet's rates.\n", roofline * 1e3,
                      std::string(t.name).c_str());
        s += line;
    }
    return s;
}

}  // namespace inlay::inline INLAY_ABI
