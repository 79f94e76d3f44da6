// SPDX-License-Identifier: Apache-2.0
/// Kernels written out from candidates: what is computed inside, where, and what is read.
#include <rewrite/planner/facts_of.hpp>

#include <inlay/rewrite/planner/cuts/expand.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;
using namespace inlay::planner;
using namespace inlay::planner::testing;

std::vector<Kernel> kernels_of(const Facts& facts) {
    const Cuts cuts = find_cuts(facts, true);
    const Candidates found = find_candidates(facts, cuts);
    std::vector<Kernel> all;
    for (int i = 0; i < found.count; ++i) all.push_back(expand(facts, cuts, found, i));
    return all;
}
/// The places in which a kernel computes a value; 0: nowhere.
int places_of(const Kernel& k, int value) {
    for (int i = 0; i < k.inner; ++i)
        if (k.inside[i].value == value) return k.inside[i].places;
    return 0;
}

TEST(Expand, WhatIsBeforeTheCoreIsAPrologueAndWhatIsBehindItAnEpilogue) {
    Layer l;
    const int x = l.input({2, 8, 16}), residual = l.input({2, 8, 32});
    const int a = l.silu(x);
    const int w = l.weight({32, 16});
    const int product = l.add(core_symbol(Core::linear, 1), {2, 8, 32}, {a, w});
    const int y = l.pointwise({product, residual});
    l.facts.add_root(y);
    bool fused = false;
    for (const Kernel& k : kernels_of(l.facts)) {
        if (k.output[0] != y || places_of(k, product) == 0 || places_of(k, a) == 0) continue;
        fused = true;
        EXPECT_EQ(l.facts.node[k.core].value, product);
        EXPECT_EQ(places_of(k, a), prologue);
        EXPECT_EQ(places_of(k, y), epilogue);
        ASSERT_EQ(k.weights, 1);
        EXPECT_EQ(k.weight[0], w);
        ASSERT_EQ(k.slots, 2);                    // slots of the prologue are the first ones
        EXPECT_EQ(k.slot[0], x);
        EXPECT_EQ(k.slot_places[0], prologue);
        EXPECT_EQ(k.slot[1], residual);
        EXPECT_EQ(k.slot_places[1], epilogue);
        EXPECT_EQ(k.phase, l.facts.value[y].phase);
        EXPECT_EQ(k.outputs, 1);
        EXPECT_FALSE(k.records);
        for (int i = 1; i < k.inner; ++i) EXPECT_LT(k.inside[i - 1].value, k.inside[i].value);
        EXPECT_FALSE(k.limited);
        EXPECT_FALSE(k.gated);
    }
    EXPECT_TRUE(fused);
}
TEST(Expand, ATensorReadInTwoPlacesIsOneSlot) {
    Layer l;
    const int x = l.input({2, 8, 16}), product = l.linear_without_bias(l.silu(x), 16), y = l.pointwise({product, x});
    l.facts.add_root(y);
    bool found = false;
    for (const Kernel& k : kernels_of(l.facts)) {
        if (k.output[0] != y || k.slots != 1 || k.core < 0) continue;
        found = true;
        EXPECT_EQ(k.slot[0], x);
        EXPECT_EQ(k.slot_places[0], prologue | epilogue);
    }
    EXPECT_TRUE(found);
}
TEST(Expand, PartsOfTheColumnsAreOutputsOfOneKernel) {
    Layer l;
    const int x = l.input({2, 8, 16}), wide = l.linear_without_bias(x, 32);
    const int p = l.part(wide, 0, 2), q = l.part(wide, 1, 2);
    l.facts.add_root(p);
    l.facts.add_root(q);
    bool found = false;
    for (const Kernel& k : kernels_of(l.facts)) {
        if (k.outputs != 2) continue;
        found = true;
        EXPECT_EQ(k.output[0], p);
        EXPECT_EQ(k.output[1], q);
        EXPECT_NE(places_of(k, p) & sink, 0);
        EXPECT_NE(places_of(k, q) & sink, 0);
    }
    EXPECT_TRUE(found);
}
TEST(Expand, ProductsOfTheHalvesAreGated) {
    Layer l;
    const int x = l.input({2, 8, 16}), wide = l.linear_without_bias(x, 32);
    const int y = l.pointwise({l.part(wide, 0, 2), l.pointwise({l.part(wide, 1, 2)}, 2)});
    l.facts.add_root(y);
    int gated = 0;
    for (const Kernel& k : kernels_of(l.facts))
        if (k.gated) {
            ++gated;
            EXPECT_EQ(k.output[0], y);
            EXPECT_EQ(l.facts.node[k.core].value, wide);
        }
    EXPECT_EQ(gated, 1);
}

}  // namespace
