// SPDX-License-Identifier: Apache-2.0
/// Decisions of attentions: which engine, why not the others, what it costs.
#include <inlay/plan/attention/decide.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;

/// Of 8 heads in a batch of 2, in 16 bits, that sm_90a's engine takes if it has schedules for heads of d.
constexpr AttentionProblem attention(index_t queries, index_t keys, int d = 64, int bytes = 2) {
    AttentionProblem p;
    p.work = {{2, 8, 1, queries, keys}, d, bytes};
    p.wgmma_types = bytes == 2 && wgmma_attention_schedules(d).size > 0;
    if (!p.wgmma_types) p.refused = "there are no kernels";
    return p;
}

/// The same whose K, of 16 bits, is evaluated.
constexpr AttentionProblem evaluated(index_t queries, index_t keys) {
    AttentionProblem p = attention(queries, keys);
    p.before.k = true;
    p.before_bytes = 2 * 2.0 * 2 * 8 * static_cast<double>(keys) * 64;
    return p;
}

// Numbers alone decide at compile time.
static_assert(decide(attention(4096, 4096), sm80_target).engine == AttentionEngine::mma);
static_assert(decide(attention(4096, 4096), sm90a_target).engine == AttentionEngine::wgmma);

TEST(DecideAttention, TheFirstEngineThatTakesItRunsIt) {
    AttentionProblem p = attention(1024, 1024);
    EXPECT_EQ(decide(p, host_target).engine, AttentionEngine::host);
    EXPECT_EQ(decide(p, sm90_target).engine, AttentionEngine::mma);
    p.refused = "rows lie unevenly";
    const AttentionDecision rest = decide(p, sm90a_target);
    EXPECT_EQ(rest.engine, AttentionEngine::fallback);
    EXPECT_EQ(rest.index, attention_schedules(2, 64).size - 1);
    EXPECT_EQ(decide(attention(1024, 1024, 72), sm90a_target).engine, AttentionEngine::mma);
}
/// Few queries over many keys, on devices with the memory for their schedule.
TEST(DecideAttention, LongKeys) {
    const auto decided = [](index_t batch, index_t keys, const TargetInfo& t, int d = 128, int bytes = 2) {
        AttentionProblem p = attention(1, keys, d, bytes);
        p.work.shape.batch = batch;
        if (p.wgmma_types) p.refused = "single queries fill no tile";
        return decide(p, t);
    };
    EXPECT_TRUE(decided(1, long_keys, sm90a_target).long_keys);
    EXPECT_EQ(decided(1, long_keys, sm90a_target).index, 1);
    EXPECT_EQ(decided(1, 131072, sm90_target).index, 1);
    EXPECT_EQ(decided(1, 131072, sm90a_target).splits, 132 / 8);
    EXPECT_TRUE(decided(1, 4096, sm90a_target).long_keys);
    EXPECT_EQ(decided(1, 4096, sm90a_target).index, 0);
    EXPECT_EQ(decided(1, 4096, sm90a_target).splits, 16);
    EXPECT_EQ(decided(1, long_keys - 1, sm90a_target).index, 0);
    EXPECT_FALSE(decided(1, 2048, sm90a_target).long_keys);         // two steps for each of 16 blocks
    EXPECT_FALSE(decided(64, 131072, sm90a_target).long_keys);      // blocks share no keys
    EXPECT_FALSE(decided(1, 131072, sm80_target).long_keys);        // its memory is too small
    EXPECT_FALSE(decided(1, 4096, sm80_target).long_keys);          // for two blocks a multiprocessor
    EXPECT_FALSE(decided(1, 131072, sm90a_target, 64).long_keys);
    EXPECT_FALSE(decided(1, 131072, sm90a_target, 128, 4).long_keys);
    EXPECT_FALSE(decided(1, 131072, gfx942_target).long_keys);
}
/// K and V that blocks share in boxes, where sm_90a's copy engine can read them; else the schedule that is there for all.
TEST(DecideAttention, Boxes) {
    AttentionProblem p = attention(1, 4096, 128);
    p.refused = "single queries fill no tile";
    p.box_types = p.boxes = true;
    EXPECT_TRUE(decide(p, sm90a_target).boxes);
    EXPECT_EQ(decide(p, sm90a_target).engine, AttentionEngine::fallback);
    EXPECT_EQ(decide(p, sm90a_target).index, 1);
    EXPECT_EQ(decide(p, sm90a_target).splits, 8);
    p.work.shape.keys = long_boxed_keys - 1;
    EXPECT_EQ(decide(p, sm90a_target).index, 0);
    EXPECT_EQ(decide(p, sm90a_target).splits, 16);
    p.work.shape.keys = most_boxed_keys - 1;
    EXPECT_TRUE(decide(p, sm90a_target).boxes);
    p.work.shape.keys = most_boxed_keys;                // warps copy, a block a multiprocessor
    EXPECT_FALSE(decide(p, sm90a_target).boxes);
    EXPECT_EQ(decide(p, sm90a_target).index, attention_schedules(2, 128).size - 1);
    EXPECT_EQ(decide(p, sm90a_target).splits, 132 / 16);
    p.work.shape.keys = 4096;
    EXPECT_FALSE(decide(p, sm90_target).boxes);
    EXPECT_TRUE(decide(p, sm90_target).long_keys);
    p.work.shape.batch = 64;
    EXPECT_FALSE(decide(p, sm90a_target).boxes);        // blocks share no keys
    p.boxes = false;
    p.work.shape.batch = 1;
    EXPECT_FALSE(decide(p, sm90a_target).boxes);
    EXPECT_FALSE(decide(p, sm90a_target).long_keys);    // not compiled beside boxes
    EXPECT_EQ(decide(p, sm90a_target).index, attention_schedules(2, 128).size - 1);
}
TEST(DecideAttention, SaysOfEveryOtherEngineWhyNot) {
    for (const TargetInfo& t : known_targets)
        for (const AttentionProblem& p :
             {attention(1024, 1024), attention(1024, 1024, 72), attention(64, 77, 64, 4), attention(64, 77, 512),
              evaluated(4096, 4096), evaluated(1, 4096)}) {
            const AttentionDecision d = decide(p, t);
            for (int i = 0; i < attention_engines; ++i)
                EXPECT_EQ(d.why_not[i] == nullptr, i == static_cast<int>(d.engine)) << t.name << ", engine " << i;
        }
    EXPECT_STREQ(decide(attention(64, 64), sm80_target).why(AttentionEngine::wgmma),
                 "the target has no code for sm_90a");
}
TEST(DecideAttention, CostsArePositiveAndGrow) {
    for (const TargetInfo& t : {sm80_target, sm90_target, sm90a_target})
        for (const int d : {40, 64, 160, 512})
            for (index_t n = 64; n <= 8192; n *= 4) {
                const double us = decide(attention(n, n, d), t).cost_us;
                EXPECT_GT(us, 0);
                EXPECT_GE(decide(attention(4 * n, n, d), t).cost_us, us) << t.name << " " << n << " of " << d;
                EXPECT_GE(decide(attention(n, 4 * n, d), t).cost_us, us) << t.name << " " << n << " of " << d;
            }
    AttentionProblem masked = attention(4096, 4096);
    masked.seen = 0.5;
    EXPECT_LT(decide(masked, sm90a_target).cost_us, decide(attention(4096, 4096), sm90a_target).cost_us);
}
TEST(DecideAttention, ACostIsThatOfTheScheduleThatRuns) {
    const AttentionProblem p = attention(4096, 4096, 40);
    const AttentionDecision d = decide(p, sm90a_target);
    const WgmmaAttentionCost c = wgmma_attention_cost(wgmma_attention_schedules(40).at[d.index], d.parts, p.work.shape,
                                                      40, sm90a_target.units, 1);
    EXPECT_EQ(d.cost_us, c.clocks() / 1830);
}

// Heads of 64 sequences fill the device; of few sequences keys are split.
TEST(DecideAttention, LatentAttentionOfFewSequencesSplitsKeys) {
    const auto of = [](index_t batch) {
        AttentionProblem p;
        p.work = {{batch, 128, 128, 1, 4096}, 576, 2, false, 512};
        p.wgmma_types = true;
        return p;
    };
    const AttentionDecision many = decide(of(64), sm90a_target), few = decide(of(2), sm90a_target);
    EXPECT_EQ(many.engine, AttentionEngine::wgmma);
    EXPECT_EQ(many.splits, 1);
    EXPECT_EQ(few.engine, AttentionEngine::wgmma);
    EXPECT_EQ(few.splits, 8);
    EXPECT_LT(few.cost_us, many.cost_us);
    AttentionProblem apart = of(64);
    apart.refused = "V lies elsewhere";
    EXPECT_EQ(decide(apart, sm90a_target).engine, AttentionEngine::mma);
    EXPECT_GT(decide(apart, sm90a_target).cost_us, 2 * many.cost_us);
}

// Many tiles of queries would evaluate the same keys; one reads them in less time than it takes to store them.
TEST(DecideAttention, EvaluatesOperandsBeforeWhereThatTakesLess) {
    const AttentionProblem many = evaluated(4096, 4096), few = evaluated(1, 4096);
    const AttentionDecision before = decide(many, sm90a_target), none = decide(few, sm90a_target);
    EXPECT_EQ(before.engine, AttentionEngine::wgmma);
    EXPECT_EQ(before.before.kernels(), 1);
    EXPECT_EQ(before.cost_us, decide(attention(4096, 4096), sm90a_target).cost_us + 2.5 + many.before_bytes / 2.4e6);
    EXPECT_EQ(none.engine, AttentionEngine::mma);
    EXPECT_EQ(none.before.kernels(), 0);
    EXPECT_STREQ(none.why(AttentionEngine::wgmma), "its operands are evaluated in less time as they are read");
    EXPECT_EQ(decide(many, sm90_target).before.kernels(), 0);
    EXPECT_EQ(decide(many, sm90_target).engine, AttentionEngine::mma);
}
TEST(DecideAttention, NamesTheOperandsThatAreEvaluated) {
    const auto said = [](WgmmaAttentionBefore before) {
        AttentionProblem p = evaluated(4096, 4096);
        p.before = before;
        const std::string schedule(text(p, decide(p, sm90a_target)).c_str());
        return schedule.substr(0, schedule.find(", then"));
    };
    EXPECT_EQ(said({.k = true}), "two kernels: K is evaluated into workspace");
    EXPECT_EQ(said({.q = true, .k = true}), "three kernels: Q and K are evaluated into workspace");
    EXPECT_EQ(said({.q = true, .k = true, .v = true}), "four kernels: Q, K and V are evaluated into workspace");
    EXPECT_EQ(said({.k = true, .v = true, .v_is_k = true}), "two kernels: K and V are evaluated into workspace");
}

}  // namespace
