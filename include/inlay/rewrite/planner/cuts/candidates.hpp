// SPDX-License-Identifier: Apache-2.0
/// Candidates: every kernel that a plan of a layer may use, from the cuts of its values. A kernel stores a value by one
/// of its cuts, alone or with records of its rows or channels; or, where the columns of a core's result are sliced into equal
/// parts, all parts at once, each under views of its own.
#pragma once

#include <inlay/rewrite/planner/cuts/find.hpp>

namespace inlay::inline INLAY_ABI::planner {

inline constexpr int most_candidates = 512, most_chains = 64;

/// The way from the result of a core to an output: a view over what `below` makes; the last one is a slice.
struct Chain {
    std::int16_t node = -1, below = -1;
};
struct Candidate {
    Values outputs, needs;          ///< values stored; values that other kernels must have stored
    std::int16_t cut = -1;
    std::uint8_t phase = 0, count = 1;      ///< of outputs
    bool records = false;           ///< the second output is records of the first one
    std::uint16_t output[most_outputs] = {};
    std::int16_t chain[most_outputs] = {-1, -1, -1, -1};    ///< of each part; -1: the cut ends in the output
};
struct Candidates {
    int count = 0, chains = 0;
    bool limited = false;           ///< some were left out, of these or of the cuts
    Candidate candidate[most_candidates] = {};
    Chain chain[most_chains] = {};
};

namespace detail {

struct CandidateFinder {
    const Facts& facts;
    const Cuts& cuts;
    Candidates& found;
    std::uint8_t records[2][most_values] = {};  ///< the value that is the records of a value's rows, of its channels; 0: none
    Values read;        ///< values that a node other than a view on write reads, and those that the layer returns

    static constexpr int most_ends = 4;
    /// Ends of chains of each part.
    struct Ends {
        int count[most_outputs] = {};
        std::int16_t chain[most_outputs][most_ends] = {};
    };

    constexpr int value_of(std::int16_t chain) const { return facts.node[found.chain[chain].node].value; }
    constexpr bool may_store(int v) const {
        return !cuts.given.has(v) && !cuts.needless.has(v) && (facts.value[v].pin != Pin::fuse || facts.is_root(v));
    }
    constexpr void add(const Candidate& c) {
        if (found.count == most_candidates) found.limited = true;
        else found.candidate[found.count++] = c;
    }
    constexpr Candidate from(int k) const {
        const Cut& x = cuts.cut[k];
        Candidate c;
        c.cut = static_cast<std::int16_t>(k);
        c.needs = x.leaves;
        c.phase = static_cast<std::uint8_t>(facts.value[x.value].phase);
        if (x.core >= 0)
            for (int i = 0; i < facts.node[x.core].operands; ++i)
                if (facts.node[x.core].takes_weight(i)) c.needs = c.needs | Values::of(facts.node[x.core].operand[i]);
        c.needs = c.needs.without(cuts.given);
        return c;
    }
    /// Follows views on write from the end of a chain: it ends where a kernel reads the value, or nothing is above it.
    constexpr void follow(int part, std::int16_t chain, Ends& ends) {
        const int v = value_of(chain);
        bool above = false;
        if (facts.value[v].pin != Pin::materialize)
            for (int i = 0; i < facts.nodes; ++i) {
                const NodeFacts& n = facts.node[i];
                if (!n.symbol.sink || n.symbol.parts != 0 || n.operand[0] != v) continue;
                const bool on_part = facts.node[found.chain[chain].node].symbol.parts != 0;
                if (n.symbol.sink_rank != 0 && (!on_part || n.symbol.sink_rank != facts.value[v].rank)) continue;
                above = true;
                link(part, i, chain, ends);
            }
        if (above && !read.has(v)) return;
        if (!may_store(v)) return;
        if (ends.count[part] == most_ends) found.limited = true;
        else ends.chain[part][ends.count[part]++] = chain;
    }
    constexpr void link(int part, int node, int below, Ends& ends) {
        if (found.chains == most_chains) return static_cast<void>(found.limited = true);
        found.chain[found.chains] = {static_cast<std::int16_t>(node), static_cast<std::int16_t>(below)};
        follow(part, static_cast<std::int16_t>(found.chains++), ends);
    }
    /// Adds a candidate for each choice of ends from part p on.
    constexpr void choose(int parts, int p, const Ends& ends, const Candidate& c) {
        if (p == parts) return add(c);
        for (int i = 0; i < ends.count[p]; ++i) {
            Candidate d = c;
            d.chain[p] = ends.chain[p][i];
            d.output[p] = static_cast<std::uint16_t>(value_of(d.chain[p]));
            d.outputs = d.outputs | Values::of(d.output[p]);
            choose(parts, p + 1, ends, d);
        }
    }
    /// Kernels that store all parts of v, where all are in the layer.
    constexpr void in_parts(int v, int parts) {
        Ends ends;
        for (int i = 0; i < facts.nodes; ++i) {
            const SymbolFacts& s = facts.node[i].symbol;
            if (s.parts == parts && facts.node[i].operand[0] == v) link(s.part, i, -1, ends);
        }
        for (int k = cuts.first[v]; k < cuts.first[v + 1]; ++k) {
            if (cuts.cut[k].core < 0 || cuts.cut[k].stored || !cuts.cut[k].whole()) continue;
            Candidate c = from(k);
            c.count = static_cast<std::uint8_t>(parts);
            choose(parts, 0, ends, c);
        }
    }
    constexpr void of_value(int v) {
        if (!may_store(v)) return;
        for (int k = cuts.first[v]; k < cuts.first[v + 1]; ++k) {
            const Cut& x = cuts.cut[k];
            if (x.node < 0 || x.inside.count() == 0 || !x.whole() || (x.core < 0 && x.reads_records)) continue;
            Candidate c = from(k);
            c.output[0] = static_cast<std::uint16_t>(v);
            c.outputs = Values::of(v);
            add(c);
            for (const auto& of : records) {
                if (of[v] == 0 || x.stored) continue;
                Candidate both = c;
                both.records = true;
                both.count = 2;
                both.output[1] = static_cast<std::uint16_t>(of[v]);
                both.outputs = c.outputs | Values::of(of[v]);
                add(both);
            }
        }
    }
};

}  // namespace detail

constexpr Candidates find_candidates(const Facts& facts, const Cuts& cuts) {
    Candidates found;
    found.limited = cuts.limited;
    detail::CandidateFinder finder{facts, cuts, found, {}, {}};
    std::uint8_t parts[most_values] = {};   // bit n: there are slices into n parts
    for (int i = 0; i < facts.nodes; ++i) {
        const NodeFacts& n = facts.node[i];
        if (n.symbol.parts > 1 && n.symbol.parts <= most_outputs)
            parts[n.operand[0]] = static_cast<std::uint8_t>(parts[n.operand[0]] | 1 << n.symbol.parts);
        if (n.symbol.role == Role::records)
            finder.records[n.symbol.of_channels][n.operand[0]] = static_cast<std::uint8_t>(n.value);
        if (!n.symbol.sink)
            for (int o = 0; o < n.operands; ++o) finder.read = finder.read | Values::of(n.operand[o]);
    }
    for (int i = 0; i < facts.roots; ++i) finder.read = finder.read | Values::of(facts.root[i]);
    for (int v = 0; v < facts.values; ++v) {
        finder.of_value(v);
        if (facts.value[v].pin == Pin::materialize) continue;
        for (int n = 2; n <= most_outputs; ++n)
            if (parts[v] >> n & 1) finder.in_parts(v, n);
    }
    return found;
}

}  // namespace inlay::inline INLAY_ABI::planner
