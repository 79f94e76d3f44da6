// SPDX-License-Identifier: Apache-2.0
/// Candidates against an enumeration from the top: every way to give each value below a node, or to read it.
#include <rewrite/planner/facts_of.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::planner;
using namespace inlay::planner::testing;

/// A cut as plain sets.
struct Way {
    int core = -1, halves = 0, before = 0, work = 0;
    bool stored = false, computes = false;
    std::set<int> leaves;

    auto key() const { return std::tie(core, halves, stored, computes, before, work, leaves); }
    bool operator<(const Way& o) const { return key() < o.key(); }
    bool dominates(const Way& o) const {
        return core == o.core && halves == o.halves && stored == o.stored && computes <= o.computes &&
               before <= o.before && work <= o.work &&
               std::includes(o.leaves.begin(), o.leaves.end(), leaves.begin(), leaves.end());
    }
};

/// All ways to compute one value, by trying each node and each leaf below it, and judging what results.
struct Enumeration {
    static constexpr int open = -2, leaf = -1;
    const Facts& facts;
    std::vector<int> choice = std::vector<int>(most_values, open);
    std::set<Way> ways{};

    const SymbolFacts& symbol(int value) const { return facts.node[choice[value]].symbol; }
    std::vector<int> operands(int value) const {
        const NodeFacts& n = facts.node[choice[value]];
        std::vector<int> read;
        for (int i = 0; i < n.operands; ++i)
            if (!n.takes_weight(i)) read.push_back(n.operand[i]);
        return read;
    }
    void below(int value, std::set<int>& seen) const {
        if (!seen.insert(value).second || choice[value] < 0) return;
        for (const int o : operands(value)) below(o, seen);
    }
    std::set<int> cores(int value) const {
        std::set<int> seen, found;
        below(value, seen);
        for (const int v : seen)
            if (choice[v] >= 0 && symbol(v).role == Role::core) found.insert(v);
        return found;
    }
    bool has_core(int value) const { return !cores(value).empty(); }
    bool computes(int value) const {
        std::set<int> seen;
        below(value, seen);
        return std::any_of(seen.begin(), seen.end(),
                           [&](int v) { return choice[v] >= 0 && symbol(v).role == Role::pointwise; });
    }
    int halves(int value) const {
        std::set<int> seen;
        below(value, seen);
        int bits = 0;
        for (const int v : seen)
            if (choice[v] >= 0 && symbol(v).parts == 2 && has_core(v)) bits |= 1 << symbol(v).part;
        return bits;
    }
    bool is_on_write(int value) const {
        return choice[value] >= 0 && symbol(value).role == Role::view && symbol(value).parts == 0 && has_core(value);
    }
    bool may_read(int value) const {
        return facts.node[facts.first[value]].symbol.role != Role::constant &&
               (facts.value[value].pin != Pin::fuse || facts.is_root(value));
    }
    bool legal(int value) const {
        const NodeFacts& n = facts.node[choice[value]];
        const ValueFacts& v = facts.value[value];
        int whole = 0, half = 0;
        for (int i = 0; i < n.operands; ++i) {
            const int o = n.operand[i];
            if (n.takes_weight(i)) continue;
            const ValueFacts& from = facts.value[o];
            if (choice[o] == leaf) {
                // A part that its layer returns owns its memory, and no kernel without a core writes one.
                if (n.symbol.parts > 0 && facts.is_root(value)) return false;
                continue;
            }
            const bool core = has_core(o);
            if (from.pin == Pin::materialize) return false;
            if (from.phase < v.phase && (core || computes(o))) return false;
            if (!core && (n.symbol.parts > 0 || symbol(o).sink)) return false;
            if (n.symbol.role == Role::core && (core || !(n.symbol.expressions >> i & 1))) return false;
            if (n.symbol.role == Role::view && core) {
                if (!n.symbol.sink) return false;
                if (n.symbol.parts == 0) {
                    if (halves(o) == 1 || halves(o) == 2) return false;
                } else if (n.symbol.parts != 2 || symbol(o).role != Role::core || !symbol(o).gates) {
                    return false;
                }
            }
            if (n.symbol.role == Role::pointwise && core) {
                if (is_on_write(o) || from.rank != v.rank || from.last() != v.last()) return false;
                ++(halves(o) ? half : whole);
            }
        }
        return whole == 0 || half == 0;
    }
    void judge(int root) {
        std::set<int> seen;
        below(root, seen);
        Way w;
        for (const int v : seen) {
            if (choice[v] == leaf) w.leaves.insert(v);
            else if (!legal(v)) return;
        }
        const std::set<int> core = cores(root);
        if (w.leaves.size() > most_slots || core.size() > 1) return;
        std::set<int> prologue;
        for (const int c : core) {
            w.core = choice[c];
            below(c, prologue);
        }
        for (const int v : seen)
            if (choice[v] >= 0 && symbol(v).role == Role::pointwise) {
                w.work += 1 + 4 * symbol(v).specials;
                if (prologue.count(v)) w.before += 1 + 4 * symbol(v).specials;
            }
        w.computes = core.empty() ? computes(root) : w.before > 0;
        w.halves = halves(root);
        w.stored = is_on_write(root) || (core.empty() && symbol(root).sink);
        ways.insert(w);
    }
    void go_on(int root) {
        std::set<int> seen;
        below(root, seen);
        const auto at = std::find_if(seen.begin(), seen.end(), [&](int v) { return choice[v] == open; });
        if (at == seen.end()) return judge(root);
        const int v = *at;
        if (v != root && may_read(v)) choice[v] = leaf, go_on(root);
        const bool given = facts.is_given(v);
        for (int n = facts.first[v]; n < facts.first[v + 1]; ++n) {
            const Role r = facts.node[n].symbol.role;
            if (r == Role::input || r == Role::weight || (given && facts.value[v].phase > 0)) continue;
            if (facts.value[v].phase == 0 && (r == Role::core || r == Role::pointwise)) continue;
            choice[v] = n;
            go_on(root);
        }
        choice[v] = open;
    }
};

Way way(const Cut& c) {
    Way w;
    w.core = c.core, w.halves = c.halves, w.before = c.core >= 0 ? c.before : 0, w.work = c.work;
    w.stored = c.stored, w.computes = c.computes;
    for (int v = 0; v < most_values; ++v)
        if (c.leaves.has(v)) w.leaves.insert(v);
    return w;
}

TEST(Candidates, CutsAreThoseOfAnEnumerationThatNoOtherDominates) {
    int cuts_seen = 0, gated = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const Facts facts = random_layer(seed, seed % 3 == 0);
        const Cuts cuts = find_cuts(facts, true);
        if (cuts.limited) continue;
        for (int v = 0; v < facts.values; ++v) {
            Enumeration all{.facts = facts};
            all.go_on(v);
            std::vector<Way> found;
            for (int k = cuts.first[v]; k < cuts.first[v + 1]; ++k)
                if (cuts.cut[k].node >= 0) found.push_back(way(cuts.cut[k]));
            for (const Way& w : found) {
                EXPECT_TRUE(all.ways.count(w)) << "seed " << seed << ", value " << v;
                gated += w.halves == 3;
            }
            for (const Way& w : all.ways)
                EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const Way& f) { return f.dominates(w); }))
                    << "seed " << seed << ", value " << v;
            cuts_seen += static_cast<int>(found.size());
        }
    }
    EXPECT_GT(cuts_seen, 15000);
    EXPECT_GT(gated, 70);
}

TEST(Candidates, PlacementsByHandAreObeyed) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Facts facts = random_layer(seed, true);
        const Cuts cuts = find_cuts(facts);
        const Candidates found = find_candidates(facts, cuts);
        for (int i = 0; i < found.count; ++i) {
            const Kernel k = expand(facts, cuts, found, i);
            ASSERT_FALSE(k.limited);
            for (int j = 0; j < k.inner; ++j)
                if (facts.value[k.inside[j].value].pin == Pin::materialize) {
                    EXPECT_TRUE(found.candidate[i].outputs.has(k.inside[j].value));
                }
            for (int j = 0; j < k.slots; ++j)
                EXPECT_TRUE(facts.value[k.slot[j]].pin != Pin::fuse || facts.is_root(k.slot[j]));
        }
    }
}

TEST(Candidates, KernelsReadAndComputeWhatTheirNodesName) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Facts facts = random_layer(seed);
        const Cuts cuts = find_cuts(facts);
        const Candidates found = find_candidates(facts, cuts);
        for (int i = 0; i < found.count; ++i) {
            const Kernel k = expand(facts, cuts, found, i);
            std::set<int> there;
            for (int j = 0; j < k.slots; ++j) there.insert(k.slot[j]);
            int cores = 0;
            for (int j = 0; j < k.inner; ++j) {
                const NodeFacts& n = facts.node[k.inside[j].node];
                EXPECT_EQ(n.value, k.inside[j].value);
                for (int o = 0; o < n.operands; ++o) {
                    EXPECT_TRUE(n.takes_weight(o) || there.count(n.operand[o])) << "seed " << seed;
                }
                there.insert(n.value);
                cores += n.symbol.role == Role::core;
            }
            EXPECT_EQ(cores, k.core >= 0);
            for (int j = 0; j < k.outputs; ++j) EXPECT_EQ(k.slot_of(k.output[j]), -1);
            for (int j = 0; j < k.outputs; ++j) EXPECT_TRUE(there.count(k.output[j]));
        }
    }
}

/// Facts of a product into three parts, each in heads, and of a gated product.
TEST(Candidates, PartsOfAProductLeaveAtOnceAndHalvesAreGated) {
    const Facts facts = transformer(64, 320, 8);
    const Cuts cuts = find_cuts(facts);
    const Candidates found = find_candidates(facts, cuts);
    EXPECT_FALSE(found.limited);
    int three = 0, gated = 0;
    for (int i = 0; i < found.count; ++i) {
        const Kernel k = expand(facts, cuts, found, i);
        if (k.outputs == 3) {
            ++three;
            for (int o = 0; o < 3; ++o) EXPECT_EQ(facts.value[k.output[o]].rank, 4);
        }
        gated += k.gated;
    }
    EXPECT_EQ(three, 1);
    EXPECT_EQ(gated, 1);
}

TEST(Candidates, WorkOfAnEarlierPhaseIsNotInAKernelOfALaterOne) {
    Layer l;
    const int x = l.input({2, 8, 16}), prompt = l.input({2, 8, 16}, 2);
    const int early = l.pointwise({prompt}, 1);
    l.facts.add_root(l.pointwise({x, early}));
    const Cuts cuts = find_cuts(l.facts);
    const Candidates found = find_candidates(l.facts, cuts);
    ASSERT_EQ(found.count, 2);
    EXPECT_EQ(found.candidate[0].phase, 2);
    EXPECT_TRUE(found.candidate[1].needs == planner::Values::of(early));
}

/// A sum of the same terms in many orders has more cuts than there is room for.
TEST(Candidates, LimitsSetAFlag) {
    Layer l;
    int leaf[8];
    for (int& i : leaf) i = l.input({2, 8, 16});
    std::vector<int> level(leaf, leaf + 8);
    for (int depth = 0; depth < 5; ++depth) {
        std::vector<int> next;
        for (int i = 0; i < 8; ++i) {
            const int v = l.pointwise({level[i], level[(i + 1) % 8]});
            l.node(symbol(Role::pointwise), {level[i], level[(i + 3) % 8]});
            next.push_back(v);
        }
        level = next;
    }
    l.facts.add_root(level[0]);
    const Cuts cuts = find_cuts(l.facts);
    EXPECT_TRUE(cuts.limited);
    EXPECT_TRUE(find_candidates(l.facts, cuts).limited);
    EXPECT_LE(cuts.count, most_cuts);

    Layer wide;
    for (int i = 0; i < most_values + 1; ++i) wide.input({2});
    EXPECT_TRUE(wide.facts.limited);
    EXPECT_TRUE(find_cuts(wide.facts).limited);
}

}  // namespace
