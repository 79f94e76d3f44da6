// SPDX-License-Identifier: Apache-2.0
/// The kernel that a candidate stands for, written out.
#pragma once

#include <inlay/rewrite/planner/cuts/candidates.hpp>

namespace inlay::inline INLAY_ABI::planner {

namespace detail {

struct KernelWriter {
    const Facts& facts;
    const Cuts& cuts;
    Kernel& kernel;

    constexpr void read(int value, Place place) {
        const int i = kernel.slot_of(value);
        if (i >= 0) {
            kernel.slot_places[i] = static_cast<std::uint8_t>(kernel.slot_places[i] | place);
        } else if (kernel.slots == most_slots) {
            kernel.limited = true;
        } else {
            kernel.slot_places[kernel.slots] = place;
            kernel.slot[kernel.slots++] = static_cast<std::uint16_t>(value);
        }
    }
    /// False if it was there already, in this place.
    constexpr bool compute(int node, Place place) {
        const int value = facts.node[node].value;
        for (int i = 0; i < kernel.inner; ++i) {
            Inner& in = kernel.inside[i];
            if (in.value != value) continue;
            const bool had = (in.places & place) != 0;
            in.places = static_cast<std::uint8_t>(in.places | place);
            return !had;
        }
        if (kernel.inner == most_inner) return kernel.limited = true, false;
        kernel.inside[kernel.inner++] = {static_cast<std::uint16_t>(value), static_cast<std::uint16_t>(node), place};
        return true;
    }
    constexpr bool is_inside(int value, Place place) const {
        for (int i = 0; i < kernel.inner; ++i)
            if (kernel.inside[i].value == value) return (kernel.inside[i].places & place) != 0;
        return false;
    }
    constexpr void write(const Cut& x, Place place) {
        if (x.node < 0) return read(x.value, place);
        if (is_inside(x.value, place)) return;
        const NodeFacts& n = facts.node[x.node];
        if (n.symbol.role == Role::core) {
            kernel.core = x.node;
            for (int i = 0; i < n.operands; ++i)
                if (n.takes_weight(i)) kernel.weight[kernel.weights++] = static_cast<std::uint16_t>(n.operand[i]);
                else write(cuts.cut[x.operand[i]], prologue);
        } else {
            const bool on_write = x.stored && cuts.cut[x.operand[0]].stored;
            // The operand that leads to the core comes first, so that the slots of the prologue do.
            for (int pass = 0; pass < 2; ++pass)
                for (int i = 0; i < n.operands; ++i)
                    if ((cuts.cut[x.operand[i]].core >= 0) == (pass == 0))
                        write(cuts.cut[x.operand[i]], on_write ? sink : place == sink ? epilogue : place);
        }
        compute(x.node, place);
    }
};

}  // namespace detail

constexpr Kernel expand(const Facts& facts, const Cuts& cuts, const Candidates& candidates, int i) {
    const Candidate& c = candidates.candidate[i];
    const Cut& x = cuts.cut[c.cut];
    Kernel kernel;
    detail::KernelWriter writer{facts, cuts, kernel};
    writer.write(x, x.stored && !x.strides ? sink : epilogue);
    kernel.gated = x.halves != 0;
    kernel.phase = c.phase;
    kernel.outputs = c.count;
    kernel.records = c.records;
    for (int p = 0; p < c.count; ++p) {
        kernel.output[p] = c.output[p];
        int up[most_chains] = {}, n = 0;
        for (int k = c.chain[p]; k >= 0; k = candidates.chain[k].below) up[n++] = candidates.chain[k].node;
        while (n > 0) writer.compute(up[--n], sink);
    }
    return kernel;
}

}  // namespace inlay::inline INLAY_ABI::planner
