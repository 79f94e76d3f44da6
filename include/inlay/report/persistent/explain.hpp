// SPDX-License-Identifier: Apache-2.0
/// `explain` for a persistent program: tasks by multiprocessor, bytes, and the critical path of a pass.
#pragma once

#include <inlay/plan/device.hpp>
#include <inlay/plan/persistent/order.hpp>
#include <inlay/report/explain_program.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI::persistent {

/// A program with what its types do not say.
struct Report {
    std::string name;
    ProgramFacts facts;
    int rounds = 1, blocks = 1;
    int storage = 0;                                ///< bytes that the buffers share
    int together[ProgramFacts::most_phases] = {};   ///< tiles of a phase that one block always takes together
    double memory[ProgramFacts::most_phases] = {};  ///< bytes of weights and caches that an instance reads
    int kernels = 0;                                ///< of a pass; 0: all passes are one launch

    /// Tiles of the busiest block, and of the one with the fewest.
    int most(int phase) const { return (units(phase) + blocks - 1) / blocks * together[phase]; }
    int fewest(int phase) const { return units(phase) / blocks * together[phase]; }
    /// Bytes that the busiest block reads of an instance.
    double largest_share(int phase) const { return memory[phase] * most(phase) / facts.phases[phase].tiles; }
    /// A kernel for each instance, of which `choice` at the end are one.
    void by_phases(int choice) { kernels = instance_count(facts, rounds, 1) - choice + 1; }
    int times(int phase) const { return facts.repeats[facts.phases[phase].section] ? rounds : 1; }

private:
    int units(int phase) const { return (facts.phases[phase].tiles + together[phase] - 1) / together[phase]; }
};

/// Instances of a pass that wait for each other, of all such chains the one whose busiest blocks read the most bytes,
/// of equals the longest.
struct CriticalPath {
    std::vector<Instance> instances;
    double bytes = 0;
};
inline CriticalPath critical_path(const Report& r) {
    struct Chain {
        double bytes;
        int count, before;
    };
    std::vector<Instance> all;
    unroll(r.facts, r.rounds, 1, [&](const Instance& i) { all.push_back(i); });
    std::vector<Chain> chains;
    const auto longer = [](const Chain& a, const Chain& b) {
        return a.bytes != b.bytes ? a.bytes < b.bytes : a.count < b.count;
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        const PhaseFacts& phase = r.facts.phases[all[i].phase];
        Chain best{0, 0, -1};
        for (int w = 0; w < phase.wait_count; ++w) {
            std::size_t j = i;
            while (j > 0 && all[j - 1].phase != phase.waits[w].phase) --j;
            if (j == 0) continue;
            const Chain to{chains[j - 1].bytes, chains[j - 1].count, static_cast<int>(j - 1)};
            if (best.before < 0 || longer(best, to)) best = to;
        }
        chains.push_back({best.bytes + r.largest_share(all[i].phase), best.count + 1, best.before});
    }
    const auto last = std::ranges::max_element(chains, longer);
    CriticalPath path;
    if (last == chains.end()) return path;
    path.bytes = last->bytes;
    for (int i = static_cast<int>(last - chains.begin()); i >= 0; i = chains[static_cast<std::size_t>(i)].before)
        path.instances.insert(path.instances.begin(), all[static_cast<std::size_t>(i)]);
    return path;
}

namespace detail {

/// "embed, 12 x (qkv, attend), vocabulary": rounds of the same phases are one.
inline std::string names_of(const Report& r, const std::vector<Instance>& path) {
    std::string text;
    const auto add = [&](const std::string& part, int times) {
        if (!text.empty()) text += ", ";
        text += times > 1 ? std::to_string(times) + " x (" + part + ")" : part;
    };
    std::string before;
    int times = 0;
    for (std::size_t i = 0; i < path.size();) {
        std::string round;
        std::size_t k = i;
        for (; k < path.size() && path[k].round == path[i].round &&
               r.facts.phases[path[k].phase].section == r.facts.phases[path[i].phase].section;
             ++k)
            round += (k > i ? ", " : "") + std::string(r.facts.phases[path[k].phase].name);
        if (round != before && times > 0) add(before, times), times = 0;
        before = round, ++times;
        i = k;
    }
    if (times > 0) add(before, times);
    return text;
}
inline std::string microseconds(double bytes, double gbs) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f us", bytes / gbs * 1e-3);
    return text;
}

}  // namespace detail

inline std::string explain(const Report& r, const TargetInfo& t) {
    using inlay::detail::pad;
    using inlay::detail::pad_left;
    using inlay::detail::scaled;
    const ProgramFacts& f = r.facts;
    const CriticalPath path = critical_path(r);
    std::string s = r.name + ": " +
                    (r.kernels > 0 ? "a graph of " + std::to_string(r.kernels) + " kernels a pass"
                                   : "one persistent launch") +
                    " of " + std::to_string(f.phase_count) + " phases, " +
                    std::to_string(instance_count(f, r.rounds, 1)) + " instances a pass, on " +
                    std::to_string(r.blocks) + " multiprocessors of " + std::string(t.name) + "\n" + pad("phase", 14) +
                    pad_left("times", 7) + pad_left("tasks", 9) + pad_left("each", 14) + pad_left("memory", 11) +
                    pad_left("handed on", 11) + "  waits for\n";
    double memory = 0, handed = 0, tasks = 0;
    for (int p = 0; p < f.phase_count; ++p) {
        const PhaseFacts& phase = f.phases[p];
        double out = 0;
        for (int u = 0; u < phase.use_count; ++u)
            if (const BufferFacts& b = f.buffers[phase.uses[u].buffer]; phase.uses[u].writes && !b.kept) out += b.bytes;
        std::string waits;
        for (int w = 0; w < phase.wait_count; ++w)
            waits += std::string(w > 0 ? ", " : "") + f.phases[phase.waits[w].phase].name +
                     (phase.waits[w].group ? " of its group" : "") + (phase.waits[w].last ? " before" : "");
        const std::string each = r.fewest(p) == r.most(p)
                                     ? std::to_string(r.most(p))
                                     : std::to_string(r.fewest(p)) + " to " + std::to_string(r.most(p));
        s += pad(phase.name, 14) + pad_left(std::to_string(r.times(p)), 7) + pad_left(std::to_string(phase.tiles), 9) +
             pad_left(each, 14) + pad_left(scaled(r.memory[p], "B"), 11) + pad_left(scaled(out, "B"), 11) + "  " +
             waits + "\n";
        memory += r.memory[p] * r.times(p), handed += out * r.times(p), tasks += double(phase.tiles) * r.times(p);
    }
    char average[32];
    std::snprintf(average, sizeof average, "%.0f (%.1f", tasks, tasks / r.blocks);
    s += "A pass: " + std::string(average) + " a multiprocessor) tasks, " + scaled(memory, "B") + " of memory (" +
         scaled(memory / r.blocks, "B") + " a multiprocessor), " + scaled(handed, "B") + " handed on in " +
         scaled(r.storage, "B") + " of storage.\nCritical path: " + detail::names_of(r, path.instances) + ": " +
         std::to_string(path.instances.size()) + " instances one after the other, of which the busiest "
         "multiprocessors read " + scaled(path.bytes, "B") + ".\n";
    if (t.bandwidth_gbs > 0)
        s += "Memory takes at least " + detail::microseconds(memory, t.bandwidth_gbs) + ", and along that path " +
             detail::microseconds(path.bytes * r.blocks, t.bandwidth_gbs) +
             " where each multiprocessor has its share of " + std::to_string(static_cast<int>(t.bandwidth_gbs)) +
             " GB/s.\n";
    return s;
}

}  // namespace inlay::inline INLAY_ABI::persistent
