// SPDX-License-Identifier: Apache-2.0
/// A layer as the planner reads it: values and the nodes that compute them, as plain numbers. A value is a class of an
/// e-graph, and its nodes are the ways to compute it. Values are in topological order: a node reads values that come
/// before its own.
#pragma once

#include <inlay/core/extents.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::planner {

/// Roles of a node in kernels: `input`, `weight` and `constant` have no operands; a `core` is the operation that makes
/// a kernel a Linear, a Conv2D, ...; pointwise nodes and views stand before a core, after it, or in a kernel of their
/// own; `records` are an output of the kernel that stores their operand.
enum class Role : std::uint8_t { input, weight, constant, pointwise, view, core, records };

/// The frame of a core. `merge`: an Elementwise that merges statistics of channels.
enum class Core : std::uint8_t { none, linear, conv, group_norm, layer_norm, softmax, attention, reduce, merge };

/// A placement by hand: the value is stored to memory by the kernel that computes it, or never.
enum class Pin : std::uint8_t { none, materialize, fuse };

inline constexpr int most_operands = 4;
inline constexpr int most_phases = 4;
inline constexpr int most_nodes = 256, most_values = 128, most_roots = 8;  ///< of a layer

/// Facts of a symbol, the same in every layer. Bits of the masks are operands of a core.
struct SymbolFacts {
    Role role = Role::pointwise;
    Core core = Core::none;
    std::uint8_t expressions = 0;   ///< operands that may be expressions of pointwise nodes and views: prologues
    std::uint8_t views = 0;         ///< operands that may be views of tensors, and nothing computed
    std::uint8_t weights = 0;       ///< operands that the frame takes as weights, beside its tensor slots
    std::uint8_t specials = 0;      ///< special functions of an element: exponentials, quotients, roots
    bool sink = false;              ///< a view that a frame applies on write: split and permuted axes, parts of columns
    bool strides = false;           ///< such a view that strides of a tensor in memory give, without a kernel
    std::uint8_t sink_rank = 0;     ///< of the results that it arranges on write; 0: any
    std::uint8_t gaps = 0;          ///< kinds of gaps that its strides leave in memory, as bits
    std::uint8_t refuses = 0;       ///< kinds of gaps in memory over which it has no strides
    bool reads_record = false;      ///< a view of a row's record, which epilogues alone take
    bool of_channels = false;       ///< records of channels, not of rows
    bool gates = false;             ///< a core that may have two sums at a column: Out and OutGate
    bool binary = false;            ///< an attention whose scores are powers of two
    std::uint8_t rows = 1, cols = 1, stride = 1;    ///< of a filter
    int groups = 0;                 ///< of a GroupNorm's channels
    std::uint8_t part = 0, parts = 0;   ///< a slice of the last axis: number, and number of equal parts; 0: it is none
    std::uint8_t phases = 1;        ///< of a filter's output pixels, each with taps of its own
};

struct NodeFacts {
    SymbolFacts symbol{};
    int value = 0;                  ///< that it computes
    int source = -1;                ///< its number in the e-graph
    int operands = 0;
    int operand[most_operands] = {};    ///< values

    constexpr bool takes_weight(int i) const { return (symbol.weights >> i & 1) != 0; }
};

struct ValueFacts {
    int rank = 0;
    index_t extents[5] = {};
    int bytes = 2;                  ///< of a stored element
    int phase = most_phases - 1;    ///< 0: at load; 1: once a schedule; 2: once a prompt; 3: in each step
    Pin pin = Pin::none;
    int source = -1;                ///< its class in the e-graph

    constexpr index_t last() const { return rank == 0 ? 1 : extents[rank - 1]; }
    constexpr index_t count() const {
        index_t n = 1;
        for (int i = 0; i < rank; ++i) n *= extents[i];
        return n;
    }
};

/// Values of one layer. Nodes stand in the order of their values. What does not fit sets `limited`.
struct Facts {
    int nodes = 0, values = 0, roots = 0;
    NodeFacts node[most_nodes];
    ValueFacts value[most_values];
    int first[most_values + 1] = {};    ///< its first node; the one after its last is that of the next value
    int root[most_roots] = {};          ///< values that the layer returns
    bool limited = false;
    bool lost = false;                  ///< a value, a node or a result did not fit, so no plan is the layer's

    constexpr int add_value(const ValueFacts& v) {
        if (values == most_values) return limited = lost = true, values - 1;
        value[values] = v;
        first[values + 1] = nodes;
        return values++;
    }
    /// Adds a node of the last value.
    constexpr int add_node(NodeFacts n) {
        if (nodes == most_nodes) return limited = lost = true, nodes - 1;
        n.value = values - 1;
        node[nodes] = n;
        first[values] = ++nodes;
        return nodes - 1;
    }
    constexpr void add_root(int v) {
        if (roots == most_roots) limited = lost = true;
        else root[roots++] = v;
    }
    constexpr bool is_root(int v) const {
        for (int i = 0; i < roots; ++i)
            if (root[i] == v) return true;
        return false;
    }
    /// True if memory holds the value before any kernel runs: inputs, weights, and all that is computed at load.
    constexpr bool is_given(int v) const {
        if (value[v].phase == 0) return true;
        for (int i = first[v]; i < first[v + 1]; ++i)
            if (node[i].symbol.role == Role::input || node[i].symbol.role == Role::weight) return true;
        return false;
    }
};

}  // namespace inlay::inline INLAY_ABI::planner
