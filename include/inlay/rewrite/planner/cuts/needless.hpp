// SPDX-License-Identifier: Apache-2.0
/// Values that no plan needs in memory, so that candidates are few. A result of a product or of pointwise nodes that
/// one pointwise node alone reads: the kernel that would store it computes the reader too, and stores that. It reads
/// the reader's other operands, which any kernel that computes the reader has to read as well; so every cover that
/// stores the value becomes one that does not, whose kernels read and compute no more.
#pragma once

#include <inlay/rewrite/planner/cuts/sets.hpp>

namespace inlay::inline INLAY_ABI::planner::detail {

constexpr bool same_extents(const ValueFacts& x, const ValueFacts& y) {
    return x.rank == y.rank && x.extents[0] == y.extents[0] && x.extents[1] == y.extents[1] &&
           x.extents[2] == y.extents[2] && x.extents[3] == y.extents[3] && x.extents[4] == y.extents[4];
}

struct NeedlessFinder {
    const Facts& facts;
    std::uint8_t readers[most_values] = {};     ///< 2: and more
    std::int16_t reader[most_values] = {};      ///< the last node that reads a value
    Values plain{};                 ///< values that a kernel without a core computes from what may be in memory

    constexpr void read(int v, int node) {
        if (readers[v] < 2 && (readers[v] == 0 || reader[v] != node)) ++readers[v];
        reader[v] = static_cast<std::int16_t>(node);
    }
    constexpr bool stays(int v) const {
        return readers[v] != 1 || facts.value[v].pin == Pin::materialize || facts.is_root(v) || facts.is_given(v);
    }
    constexpr bool is_plain(const NodeFacts& n) const {
        if (n.symbol.role == Role::core || n.symbol.role == Role::records) return false;
        for (int i = 0; i < n.operands; ++i)
            if (!stays(n.operand[i]) && !plain.has(n.operand[i])) return false;
        return true;
    }
    /// True if every kernel that computes a value as its last one can go on with pointwise nodes.
    constexpr bool goes_on(int v) const {
        for (int i = facts.first[v]; i < facts.first[v + 1]; ++i) {
            const SymbolFacts& s = facts.node[i].symbol;
            if (s.role != Role::pointwise && s.core != Core::linear && s.core != Core::conv) return false;
        }
        return true;
    }
    constexpr bool is_needless(int v) const {
        if (stays(v) || facts.value[v].pin != Pin::none || !goes_on(v)) return false;
        const NodeFacts& n = facts.node[reader[v]];
        const ValueFacts &from = facts.value[v], &to = facts.value[n.value];
        if (n.symbol.role != Role::pointwise || to.pin == Pin::fuse || from.phase != to.phase) return false;
        if (!same_extents(from, to)) return false;
        for (int i = 0; i < n.operands; ++i)
            if (n.operand[i] != v && !stays(n.operand[i]) && !plain.has(n.operand[i])) return false;
        return true;
    }
};

constexpr Values needless_values(const Facts& facts) {
    NeedlessFinder f{.facts = facts};
    for (int i = 0; i < facts.nodes; ++i)
        for (int o = 0; o < facts.node[i].operands; ++o) f.read(facts.node[i].operand[o], i);
    for (int v = 0; v < facts.values; ++v)
        for (int i = facts.first[v]; i < facts.first[v + 1]; ++i)
            if (f.is_plain(facts.node[i])) f.plain = f.plain | Values::of(v);
    Values needless;
    for (int v = 0; v < facts.values; ++v)
        if (f.is_needless(v)) needless = needless | Values::of(v);
    return needless;
}

}  // namespace inlay::inline INLAY_ABI::planner::detail
