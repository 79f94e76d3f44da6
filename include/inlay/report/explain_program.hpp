// SPDX-License-Identifier: Apache-2.0
/// `explain` for a whole program: every kernel, then launches, work and savings by block, by frame and by fusion.
#pragma once

#include <inlay/report/explain.hpp>

#include <map>
#include <string>

namespace inlay::inline INLAY_ABI {

namespace detail {

struct Total {
    int launches = 0, unfused = 0;
    double flops = 0, bytes = 0, saved = 0;
    void add(const KernelReport& l) {
        ++launches;
        unfused += l.unfused();
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
inline std::string head(const char* what) {
    return pad(what, 20) + pad_left("launches", 9) + pad_left("unfused", 9) + pad_left("work", 14) +
           pad_left("moved", 11) + pad_left("saved", 11) + "\n";
}
inline std::string total_row(const std::string& what, const Total& t) {
    return pad(what, 20) + pad_left(std::to_string(t.launches), 9) + pad_left(std::to_string(t.unfused), 9) +
           pad_left(scaled(t.flops, "FLOP"), 14) + pad_left(scaled(t.bytes, "B"), 11) +
           pad_left(scaled(t.saved, "B"), 11) + "\n";
}
inline std::string fusion_row(const std::string& what, int launches, double bytes) {
    return pad(what, 20) + pad_left(std::to_string(launches), 18) + pad_left(scaled(bytes, "B"), 36) + "\n";
}

}  // namespace detail

/// Launches, work and savings in tables: by block, by frame, by kind of fusion.
inline std::string summarise_program(const std::vector<KernelReport>& launches,
                                     const std::vector<KernelDecision>& decisions, const TargetInfo& t) {
    using namespace detail;
    std::vector<std::string> order;
    std::map<std::string, Total> blocks, frames;
    std::map<std::string, std::pair<int, double>> fusions;
    Total all;
    double seconds = 0;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        const KernelReport& l = launches[i];
        const std::string block = block_of(l.layer);
        if (!blocks.contains(block)) order.push_back(block);
        blocks[block].add(l);
        frames[l.frame].add(l);
        all.add(l);
        seconds += roofline(l, decisions[i], t).seconds();
        for (const Fusion& f : l.fusions) {
            ++fusions[f.kind].first;
            fusions[f.kind].second += f.bytes;
        }
    }
    std::string s = head("block");
    for (const std::string& b : order) s += total_row(b, blocks[b]);
    s += total_row("total", all) + "\n" + head("frame");
    for (const auto& [frame, total] : frames) s += total_row(frame, total);
    s += "\n" + pad("fused", 20) + pad_left("launches", 18) + pad_left("saved", 36) + "\n";
    for (const auto& [kind, f] : fusions) s += fusion_row(kind, f.first, f.second);
    s += fusion_row("total", all.unfused - all.launches, all.saved);
    if (seconds > 0) {
        char line[96];
        std::snprintf(line, sizeof line, "\nAt least %.2f ms on %s at its datasheet's rates.\n", seconds * 1e3,
                      std::string(t.name).c_str());
        s += line;
    }
    if (t.name == host_target.name)
        s += std::string("\nCode of this build: ") + host_isa + ", vectors of " + std::to_string(host_vector_bytes) +
             " bytes.\n";
    return s;
}

inline std::vector<KernelDecision> decide(const std::vector<KernelReport>& launches, const TargetInfo& t) {
    std::vector<KernelDecision> d;
    for (const KernelReport& l : launches) d.push_back(decide(l, t));
    return d;
}
inline std::string summarise_program(const std::vector<KernelReport>& launches, const TargetInfo& t) {
    return summarise_program(launches, decide(launches, t), t);
}

/// Every kernel, then the tables.
inline std::string explain_program(const std::vector<KernelReport>& launches, const TargetInfo& t) {
    std::string s;
    const std::vector<KernelDecision> decisions = decide(launches, t);
    for (std::size_t i = 0; i < launches.size(); ++i) s += explain(launches[i], decisions[i], t) + "\n";
    return s + summarise_program(launches, decisions, t);
}

}  // namespace inlay::inline INLAY_ABI
