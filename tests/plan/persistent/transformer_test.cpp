// SPDX-License-Identifier: Apache-2.0
/// The spatial transformer's program: it passes its check at Stable Diffusion's four levels and at others, all of its
/// waits are needed, and how its work is divided.
#include <inlay/plan/persistent/transformer.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay::persistent;

constexpr TransformerShape levels[] = {{.batch = 2, .pixels = 4096, .channels = 320},
                                       {.batch = 2, .pixels = 1024, .channels = 640},
                                       {.batch = 2, .pixels = 256, .channels = 1280},
                                       {.batch = 2, .pixels = 64, .channels = 1280}};
using Largest = Transformer<levels[0]>;

TEST(TransformerProgram, PassesAtTheFourLevels) {
    static_assert(check(facts_of<Largest::Step>()).fault == Fault::none);
    static_assert(check(facts_of<Transformer<levels[1]>::Step>()).fault == Fault::none);
    static_assert(check(facts_of<Transformer<levels[2]>::Step>()).fault == Fault::none);
    static_assert(check(facts_of<Transformer<levels[3]>::Step>()).fault == Fault::none);
    EXPECT_EQ(facts_of<Largest::Step>().phase_count, transformer_phases);
}
TEST(TransformerProgram, EveryWaitIsNeeded) {
    const ProgramFacts f = facts_of<Largest::Step>();
    EXPECT_EQ(superfluous_waits(f), 0);
    for (int p = 0; p < f.phase_count; ++p)
        for (int w = 0; w < f.phases[p].wait_count; ++w)
            EXPECT_EQ(check(without_wait(f, p, w)).fault, Fault::race) << f.phases[p].name;
}
/// Self-attention reads keys of other groups: a wait for its own group is not enough. Nor are moments of its own rows.
TEST(TransformerProgram, TwoPhasesWaitForAllGroups) {
    ProgramFacts f = facts_of<Largest::Step>();
    for (int p = 0; p < f.phase_count; ++p)
        for (int w = 0; w < f.phases[p].wait_count; ++w) {
            if (f.phases[p].waits[w].last) continue;
            const bool all = std::string(f.phases[p].name) == "attend" || std::string(f.phases[p].name) == "normalise";
            EXPECT_EQ(f.phases[p].waits[w].group, !all) << f.phases[p].name;
            if (!all) continue;
            ProgramFacts by_group = f;
            by_group.phases[p].waits[w].group = true;
            EXPECT_EQ(check(by_group).fault, Fault::race) << f.phases[p].name;
        }
}
/// A shape's facts at run time are those of its types.
template <TransformerShape S>
void expect_facts_of_types() {
    const ProgramFacts types = facts_of<typename Transformer<S>::Step>(),
                       numbers = transformer_facts(S, Transformer<S>::tasks);
    for (int p = 0; p < types.phase_count; ++p) {
        EXPECT_EQ(numbers.phases[p].tiles, types.phases[p].tiles) << types.phases[p].name;
        EXPECT_EQ(numbers.phases[p].groups, types.phases[p].groups);
    }
    for (int b = 0; b < types.buffer_count; ++b) EXPECT_EQ(numbers.buffers[b].bytes, types.buffers[b].bytes) << b;
    EXPECT_EQ(check(numbers).fault, Fault::none);
}
TEST(TransformerProgram, FactsOfAShapeAreThoseOfItsTypes) {
    expect_facts_of_types<levels[0]>();
    expect_facts_of_types<levels[1]>();
    expect_facts_of_types<levels[2]>();
    expect_facts_of_types<levels[3]>();
    expect_facts_of_types<TransformerShape{.batch = 3, .pixels = 192, .channels = 160, .heads = 4}>();
}
TEST(TransformerProgram, BuffersShareStorage) {
    constexpr ProgramFacts f = facts_of<Largest::Step>();
    int sum = 0;
    for (int b = 0; b < f.buffer_count; ++b) sum += f.buffers[b].kept ? 0 : f.buffers[b].bytes;
    EXPECT_LT(Largest::Places::places.bytes, sum * 9 / 10);
    // A residual is read by the phase that writes its sum.
    EXPECT_NE(Largest::Places::at<Largest::Begin>, Largest::Places::at<Largest::Middle>);
    EXPECT_NE(Largest::Places::at<Largest::Late>, Largest::Places::at<Largest::End>);
}
/// 64 rows a group. At 8x8 there are two: sums are cut into slices, so that most multiprocessors have work.
TEST(TransformerProgram, WorkIsDividedForTheDevice) {
    const TransformerTasks large = transformer_tasks(levels[0], 132), small = transformer_tasks(levels[3], 132);
    EXPECT_EQ(levels[0].groups(), 128);
    EXPECT_EQ(levels[3].groups(), 2);
    for (const int p : {2, 4, 6, 8, 10, 12, 13, 14}) EXPECT_EQ(large.slices[p], 1) << p;
    EXPECT_EQ(large.members[2], 2) << "320 columns in tiles of 160";
    EXPECT_EQ(large.members[12], 16) << "2560 of them";
    EXPECT_EQ(small.slices[2], 5) << "20 k-blocks, of which a slice has 4 at least";
    EXPECT_EQ(small.members[2], 20 * 5);
    EXPECT_EQ(small.slices[12], 1) << "160 tiles already";
    EXPECT_EQ(small.slices[13], 6);
    EXPECT_EQ(transformer_tasks(levels[3], 4).slices[2], 1);
    for (const auto& level : levels)
        for (const int units : {1, 4, 132, 1000}) {
            const TransformerTasks t = transformer_tasks(level, units);
            EXPECT_EQ(32 % t.norm_parts, 0);
            EXPECT_EQ(level.channels / t.norm_parts % 8, 0) << "vectors of 8";
            EXPECT_EQ(t.row_threads * 32 >= level.channels, true);
            for (const int members : t.members) EXPECT_GE(members, 1);
        }
}

}  // namespace
