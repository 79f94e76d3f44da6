// SPDX-License-Identifier: Apache-2.0
/// Cuts of values, as in the mapping of logic to cells: a way to compute a value inside one kernel from leaves, which
/// are values in memory. A cut holds no core, and is an expression, or it holds one core and what of it is in the
/// epilogue. Values below others may be computed by several kernels anew.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/rewrite/planner/kernel.hpp>
#include <inlay/rewrite/planner/cuts/needless.hpp>

namespace inlay::inline INLAY_ABI::planner {

inline constexpr int most_cuts = 1024, most_cuts_of_value = 24;

struct Cut {
    Values leaves, inside;          ///< values read from memory through slots; values computed, its own among them
    Nodes nodes;                    ///< that compute those inside, one each
    std::int16_t value = -1, node = -1;     ///< node -1: it is a leaf itself
    std::int16_t operand[most_operands] = {-1, -1, -1, -1};     ///< cuts; of weights -1
    std::int16_t core = -1;         ///< node
    std::uint8_t halves = 0;        ///< bits: which halves of the core's columns it reads; 0: all columns
    bool strides = false;           ///< it is another value's memory: no kernel
    bool stored = false;            ///< its last node is a view on write or an arrangement; nothing is computed after it
    bool reads_records = false;     ///< it reads records of rows: it stands in an epilogue
    bool computes = false;          ///< it, or the prologue of its core, has pointwise nodes
    std::int16_t before = 0, work = 0;      ///< of an element in the prologue, and in all

    constexpr bool whole() const { return halves == 0 || halves == 3; }
    constexpr bool same_kind(const Cut& o) const {
        return core == o.core && halves == o.halves && stored == o.stored;
    }
    /// True if no cover gains by `o` beside it: it reads no other tensors and computes no more.
    constexpr bool dominates(const Cut& o) const {
        return same_kind(o) && leaves.within(o.leaves) && before <= o.before && work <= o.work &&
               computes <= o.computes;
    }
};

/// The cuts of all values; those of value v are from `first[v]` to `first[v + 1]`.
struct Cuts {
    int count = 0;
    int first[most_values + 1] = {};
    Values given;                   ///< values in memory before any kernel runs
    Values needless;                ///< values that are not stored: `cuts/needless.hpp`
    bool limited = false;           ///< some were left out: a value, or all values, had too many
    Cut cut[most_cuts] = {};
};

namespace detail {

/// The work of an element of a node, in the cost of a simple operation.
constexpr int work_of(const SymbolFacts& s) { return s.role == Role::pointwise ? 1 + 4 * s.specials : 0; }

struct CutFinder {
    const Facts& facts;
    Cuts& cuts;

    /// True if no strides of the memory that holds its operand are this view: a kernel writes it. So are results, which
    /// own their memory.
    constexpr bool is_copy(const NodeFacts& n) const {
        if (!n.symbol.strides || facts.is_root(n.value)) return true;
        for (int i = facts.first[n.operand[0]]; i < facts.first[n.operand[0] + 1]; ++i)
            if (facts.node[i].symbol.gaps & n.symbol.refuses) return true;
        return false;
    }
    /// True if the kernel that computes x can write it as view n.
    constexpr bool writes(const NodeFacts& n, const Cut& x) const {
        return n.symbol.parts == 0 && x.whole() &&
               (n.symbol.sink_rank == 0 || (!x.stored && n.symbol.sink_rank == facts.value[x.value].rank));
    }
    /// True if a node whose operands so far make `c` may read operand i inside the kernel by cut x.
    constexpr bool fits(const NodeFacts& n, int i, const Cut& c, const Cut& x) const {
        if (x.node < 0) return !n.symbol.sink || !is_copy(n) || writes(n, x);
        // An arrangement is a tensor of its own.
        if (x.core < 0 && (x.stored || (n.symbol.sink && !writes(n, x)))) return false;
        const ValueFacts &to = facts.value[n.value], &from = facts.value[x.value];
        // Earlier phases are hoisted: what runs less often is not computed in a kernel that runs more often.
        if (from.pin == Pin::materialize || (from.phase < to.phase && (x.computes || x.core >= 0))) return false;
        if (n.symbol.role == Role::core)
            return x.core < 0 && !x.reads_records &&
                   ((n.symbol.expressions >> i & 1) != 0 || ((n.symbol.views >> i & 1) != 0 && !x.computes));
        if (x.core < 0) return true;
        if (n.symbol.role == Role::view) return n.symbol.parts == 0 ? n.symbol.sink && writes(n, x) : is_half(n, x);
        return !x.stored && same_extents(to, from) &&
               (c.core < 0 || (c.core == x.core && (c.halves == 0) == (x.halves == 0)));
    }
    constexpr bool is_half(const NodeFacts& n, const Cut& x) const {
        return x.node == x.core && facts.node[x.core].symbol.gates && n.symbol.parts == 2;
    }
    constexpr int work(Nodes of) const {
        int sum = 0;
        for (; !of.empty(); of = of.rest()) sum += work_of(facts.node[of.least()].symbol);
        return sum;
    }
    /// Adds an operand; false if one of both reads from memory what the other computes, or they compute it otherwise.
    constexpr bool join(Cut& c, const Cut& x) const {
        if (c.leaves.meets(x.inside) || x.leaves.meets(c.inside)) return false;
        const Nodes both = c.nodes & x.nodes;
        c.work = static_cast<std::int16_t>(c.work + x.work - (both.empty() ? 0 : work(both)));
        c.leaves = c.leaves | x.leaves;
        c.inside = c.inside | x.inside;
        c.nodes = c.nodes | x.nodes;
        if (x.core >= 0) c.core = x.core, c.before = x.before, c.computes = x.computes;
        else if (c.core < 0) c.computes = c.computes || x.computes;
        c.halves = static_cast<std::uint8_t>(c.halves | x.halves);
        c.reads_records = c.reads_records || x.reads_records;
        return c.leaves.count() <= most_slots && c.inside.count() == c.nodes.count();
    }
    constexpr void insert(const Cut& c) {
        const int begin = cuts.first[c.value];
        for (int i = begin; i < cuts.count; ++i)
            if (cuts.cut[i].dominates(c)) return;
        for (int i = begin; i < cuts.count;)
            if (c.dominates(cuts.cut[i])) cuts.cut[i] = cuts.cut[--cuts.count];
            else ++i;
        if (cuts.count == most_cuts || cuts.count - begin == most_cuts_of_value) cuts.limited = true;
        else cuts.cut[cuts.count++] = c;
    }
    /// All operands are there: the node itself joins.
    constexpr void complete(const NodeFacts& n, int node, Cut c) {
        c.inside = c.inside | Values::of(n.value);
        c.nodes = c.nodes | Nodes::of(node);
        c.value = static_cast<std::int16_t>(n.value);
        c.node = static_cast<std::int16_t>(node);
        c.work = static_cast<std::int16_t>(c.work + work_of(n.symbol));
        c.reads_records = c.reads_records || n.symbol.reads_record;
        if (n.symbol.role == Role::core) c.core = c.node, c.before = c.work;
        else if (n.symbol.role == Role::view && c.core >= 0) {
            if (n.symbol.parts == 2) c.halves = n.symbol.part == 0 ? 1 : 2;
            else c.stored = true;
        } else if (n.symbol.role == Role::view) {
            c.stored = n.symbol.sink;
            c.strides = c.stored && cuts.cut[c.operand[0]].node < 0 && !is_copy(n);
        }
        else if (n.symbol.role == Role::pointwise && c.core < 0) c.computes = true;
        if (c.inside.count() > most_inner - 2 * most_outputs) cuts.limited = true;
        else insert(c);
    }
    constexpr void extend(const NodeFacts& n, int node, int i, const Cut& c) {
        if (i == n.operands) return complete(n, node, c);
        if (n.takes_weight(i)) return extend(n, node, i + 1, c);
        for (int k = cuts.first[n.operand[i]]; k < cuts.first[n.operand[i] + 1]; ++k) {
            if (!fits(n, i, c, cuts.cut[k])) continue;
            Cut joined = c;
            if (!join(joined, cuts.cut[k])) continue;
            joined.operand[i] = static_cast<std::int16_t>(k);
            extend(n, node, i + 1, joined);
        }
    }
    constexpr void find(int v) {
        cuts.first[v] = cuts.count;
        const bool constant = facts.node[facts.first[v]].symbol.role == Role::constant;
        if (!constant && !cuts.needless.has(v) && (facts.value[v].pin != Pin::fuse || facts.is_root(v))) {
            Cut leaf;
            leaf.value = static_cast<std::int16_t>(v);
            leaf.leaves = Values::of(v);
            insert(leaf);
        }
        const bool read_only = cuts.given.has(v) && facts.value[v].phase > 0;
        for (int i = facts.first[v]; i < facts.first[v + 1] && !read_only; ++i) {
            const NodeFacts& n = facts.node[i];
            const Role r = n.symbol.role;
            if (r == Role::input || r == Role::weight || r == Role::records) continue;
            // Computed once at load; views of weights are read where they are used too.
            if (facts.value[v].phase == 0 && (r == Role::core || r == Role::pointwise)) continue;
            extend(n, i, 0, Cut{});
        }
        cuts.first[v + 1] = cuts.count;
    }
};

}  // namespace detail

/// `all`: values that no plan needs in memory are stored too.
constexpr Cuts find_cuts(const Facts& facts, bool all = false) {
    Cuts cuts;
    if (!all) cuts.needless = detail::needless_values(facts);
    cuts.limited = facts.limited;
    for (int v = 0; v < facts.values; ++v)
        if (facts.is_given(v)) cuts.given = cuts.given | Values::of(v);
    detail::CutFinder finder{facts, cuts};
    for (int v = 0; v < facts.values; ++v) finder.find(v);
    return cuts;
}

}  // namespace inlay::inline INLAY_ABI::planner
