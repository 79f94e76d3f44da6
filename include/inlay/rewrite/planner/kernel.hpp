// SPDX-License-Identifier: Apache-2.0
/// A kernel that a plan may use, from which its frame's type is made: the core, the node that computes each value
/// inside it, its tensors in the order of their slots, its weights and its outputs.
#pragma once

#include <inlay/rewrite/planner/facts.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::planner {

inline constexpr int most_slots = 8;        ///< tensors that a kernel reads through slots
inline constexpr int most_outputs = 4;
inline constexpr int most_inner = 48;       ///< values computed inside a kernel

/// Places in a kernel, as bits: a value may be computed for the prologue and again for the epilogue.
enum Place : std::uint8_t { prologue = 1, epilogue = 2, sink = 4 };

/// A value that a kernel computes and does not store, or stores as an output.
struct Inner {
    std::uint16_t value, node;
    std::uint8_t places;
};

/// Values are those of `Facts`, nodes too. Values inside come before those that read them: operands of the core, the
/// core, its epilogue, then views of each output (with several outputs, or a gated epilogue, slices of the core's
/// columns first). Without a core it is an Elementwise: all its values have the place `epilogue`.
struct Kernel {
    int core = -1;                  ///< node; -1: there is none
    bool gated = false;             ///< slices of the core are Out (the first half) and OutGate
    bool records = false;           ///< the second output is records of the first one, of its rows or channels
    int phase = 0;
    int outputs = 0, slots = 0, weights = 0, inner = 0;
    std::uint16_t output[most_outputs] = {};    ///< more than one: parts of the columns, in order, or records
    std::uint16_t slot[most_slots] = {};        ///< value of each tensor slot
    std::uint8_t slot_places[most_slots] = {};
    std::uint16_t weight[most_operands] = {};   ///< values of the core's weights, in the order of its operands
    Inner inside[most_inner] = {};
    bool limited = false;           ///< it holds more than fits

    /// The node that computes a value inside; -1: it is read from memory.
    constexpr int node_of(int value) const {
        for (int i = 0; i < inner; ++i)
            if (inside[i].value == value) return inside[i].node;
        return -1;
    }
    constexpr int slot_of(int value) const {
        for (int i = 0; i < slots; ++i)
            if (slot[i] == value) return i;
        return -1;
    }
};

/// True if a kernel publishes the statistics of channels.
constexpr bool records_channels(const Facts& facts, const Kernel& k) {
    return k.records && facts.node[facts.first[k.output[1]]].symbol.of_channels;
}

/// True if a kernel is none: its output is another value's memory, by strides.
constexpr bool arranges(const Facts& facts, const Kernel& k) {
    return k.core < 0 && k.inner == 1 && facts.node[k.inside[0].node].symbol.sink && !(k.inside[0].places & sink);
}

}  // namespace inlay::inline INLAY_ABI::planner
