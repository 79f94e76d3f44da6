// SPDX-License-Identifier: Apache-2.0
/// Decisions of norms: which kernel, why not the others, what it costs.
#include <inlay/plan/norm/decide.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;

constexpr NormProblem groups_of(index_t items, index_t pixels, index_t channels, bool evaluated = false) {
    return {items, pixels, channels, 32, evaluated ? 4 : 2, evaluated};
}
std::string words(const NormProblem& p, const TargetInfo& t) { return std::string(text(decide(p, t))); }

// Numbers alone decide at compile time.
static_assert(decide(groups_of(2, 64, 1280), sm80_target).engine == NormEngine::teams);
static_assert(decide(groups_of(2, 64, 1280), sm90a_target).engine == NormEngine::clusters);
static_assert(decide(NormProblem{8, 1, 1024, 0, 2}, sm90a_target).engine == NormEngine::rows);

TEST(DecideNorm, TheKernelThatTakesLess) {
    EXPECT_EQ(decide(groups_of(2, 64, 1280), host_target).engine, NormEngine::host);
    EXPECT_EQ(decide(groups_of(2, 64, 1280), sm90_target).engine, NormEngine::teams);
    EXPECT_EQ(decide(groups_of(2, 65536, 256), sm90a_target).engine, NormEngine::teams);
    EXPECT_EQ(decide(groups_of(2, 4096, 320), sm90a_target).engine, NormEngine::clusters);
}
TEST(DecideNorm, SaysOfEveryOtherKernelWhyNot) {
    for (const TargetInfo& t : known_targets)
        for (const NormProblem& p : {groups_of(2, 64, 1280), groups_of(2, 65536, 256), NormProblem{8, 1, 1024, 0, 2}}) {
            const NormDecision d = decide(p, t);
            for (int i = 0; i < norm_engines; ++i)
                EXPECT_EQ(d.why_not[i] == nullptr, i == static_cast<int>(d.engine)) << t.name << ", engine " << i;
        }
}
TEST(DecideNorm, SplitsArePrinted) {
    EXPECT_EQ(words(groups_of(2, 64, 1280), sm80_target),
              "64 blocks of 512 threads, each 40 channels of an item, all kept on chip (by rule)");
    EXPECT_EQ(words(groups_of(2, 4096, 320, true), sm90_target),
              "cooperative: 16 teams of 8 blocks of 384 threads, each a slab of 512 pixels of 40 channels of an item, "
              "all kept on chip (by rule)");
    EXPECT_EQ(words({1, 4, 1 << 23, 1, 2}, sm80_target), "none: a group is too wide for the device");
}
TEST(DecideNorm, CostsArePositiveAndGrowWithTheNorm) {
    for (const TargetInfo& t : {sm80_target, sm90_target, sm90a_target})
        for (const bool evaluated : {false, true})
            for (const index_t channels : {320, 640, 1280}) {
                double before = 0;
                for (index_t pixels = 64; pixels <= 65536; pixels *= 4) {
                    const double us = decide(groups_of(2, pixels, channels, evaluated), t).cost_us;
                    EXPECT_GT(us, before) << t.name << " " << pixels << "x" << channels;
                    before = us;
                }
                const double rows = decide(NormProblem{1024, 1, channels, 0, 2}, t).cost_us;
                EXPECT_GT(rows, 0);
                EXPECT_GT(decide(NormProblem{2048, 1, channels, 0, 2}, t).cost_us, rows);
            }
}

}  // namespace
