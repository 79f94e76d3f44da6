// SPDX-License-Identifier: Apache-2.0
/// The kernels of a cover in the order in which they run, and the lifetimes of what they store.
#pragma once

#include <inlay/rewrite/planner/cover.hpp>

namespace inlay::inline INLAY_ABI::planner::detail {

/// The kernels of a cover, written out, in the order in which they run.
struct KernelList {
    int count = 0;
    Kernel kernel[most_kernels] = {};
    std::int16_t arranged_by[most_values];  ///< the node that arranges another value's memory as this one; −1: none
    std::int16_t last_use[most_values];     ///< the last kernel that reads this value's memory; −1: none, or a result
    std::int16_t stored_by[most_values];    ///< the kernel that stores this value; −1: none

    constexpr bool is_stored_in_phase_of(int k, int value) const {
        return stored_by[value] >= 0 && kernel[stored_by[value]].phase == kernel[k].phase;
    }
};
constexpr KernelList kernels_of(const Facts& facts, const Cuts& cuts, const Candidates& candidates,
                                const Cover& cover) {
    KernelList list;
    for (int v = 0; v < most_values; ++v) list.arranged_by[v] = list.last_use[v] = list.stored_by[v] = -1;
    for (int i = 0; i < cover.kernels; ++i) {
        const Kernel k = expand(facts, cuts, candidates, cover.kernel[i]);
        if (arranges(facts, k)) list.arranged_by[k.output[0]] = static_cast<std::int16_t>(k.inside[0].node);
        else list.kernel[list.count++] = k;
    }
    // Arrangements of weights need no candidate: all that is known at load is in memory.
    for (int v = 0; v < facts.values; ++v)
        if (const NodeFacts& n = facts.node[facts.first[v]]; facts.value[v].phase == 0 && n.symbol.strides)
            list.arranged_by[v] = static_cast<std::int16_t>(facts.first[v]);
    for (int k = 0; k < list.count; ++k)
        for (int i = 0; i < list.kernel[k].outputs; ++i)
            list.stored_by[list.kernel[k].output[i]] = static_cast<std::int16_t>(k);
    const auto use = [&](int value, int kernel) {
        for (int v = value; v >= 0;) {
            // Kernels of later phases run later, wherever they stand.
            const int last = list.last_use[v];
            if (last < 0 || kernel < 0 || list.kernel[last].phase <= list.kernel[kernel].phase)
                list.last_use[v] = static_cast<std::int16_t>(kernel);
            v = list.arranged_by[v] < 0 ? -1 : facts.node[list.arranged_by[v]].operand[0];
        }
    };
    for (int k = 0; k < list.count; ++k)
        for (int i = 0; i < list.kernel[k].slots; ++i) use(list.kernel[k].slot[i], k);
    for (int i = 0; i < facts.roots; ++i) use(facts.root[i], -1);
    return list;
}

}  // namespace inlay::inline INLAY_ABI::planner::detail
