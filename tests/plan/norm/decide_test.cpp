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
/// Rows of 16 bits with γ and β, read and stored as they are.
constexpr NormProblem rows_of(index_t rows, index_t channels, RowFacts facts = {.scales = true}) {
    return {.items = rows, .pixels = 1, .channels = channels, .element = 16 / facts.lanes, .rows = facts};
}
std::string words(const NormProblem& p, const TargetInfo& t) { return std::string(text(p, decide(p, t))); }

// Numbers alone decide at compile time.
static_assert(decide(groups_of(2, 64, 1280), sm80_target).engine == NormEngine::teams);
static_assert(decide(groups_of(2, 64, 1280), sm90a_target).engine == NormEngine::clusters);
static_assert(decide(rows_of(8, 1024), sm90a_target).engine == NormEngine::packed_rows);

TEST(DecideNorm, TheKernelThatTakesLess) {
    EXPECT_EQ(decide(groups_of(2, 64, 1280), host_target).engine, NormEngine::host);
    EXPECT_EQ(decide(groups_of(2, 64, 1280), sm90_target).engine, NormEngine::teams);
    EXPECT_EQ(decide(groups_of(2, 65536, 256), sm90a_target).engine, NormEngine::teams);
    EXPECT_EQ(decide(groups_of(2, 4096, 320), sm90a_target).engine, NormEngine::clusters);
}
TEST(DecideNorm, NarrowGroupsTakeFewerThreadsWhereSharedMemoryIsSmall) {
    const NormDecision d = decide(groups_of(1, 1 << 18, 32), gfx1100_target);
    EXPECT_GT(d.teams.span, 0) << "groups of one channel, of a picture";
    EXPECT_LT(d.teams.threads, GroupNormTeams::most_threads);
    EXPECT_EQ(decide(groups_of(1, 1 << 18, 128), gfx1100_target).teams.threads, GroupNormTeams::most_threads);
}
TEST(DecideNorm, RowsByTheFirstWayThatTakesThem) {
    const auto engine = [](const NormProblem& p) { return decide(p, sm90_target).engine; };
    EXPECT_EQ(engine(rows_of(154, 768)), NormEngine::packed_rows);
    EXPECT_EQ(engine(rows_of(65536, 1024)), NormEngine::register_rows) << "too many";
    EXPECT_EQ(engine(rows_of(3, 1288)), NormEngine::register_rows) << "too long for a warp";
    EXPECT_EQ(engine(rows_of(3, 8192)), NormEngine::register_rows);
    EXPECT_EQ(engine(rows_of(3, 8200)), NormEngine::shared_rows);
    EXPECT_EQ(engine(rows_of(3, 1 << 17)), NormEngine::streamed_rows) << "256 KB";
    EXPECT_EQ(engine(rows_of(3, 8200, {.not_stored = "evaluated"})), NormEngine::streamed_rows);
    EXPECT_EQ(engine(rows_of(3, 64, {.lanes = 4, .scales = true})), NormEngine::register_rows) << "floats";
    EXPECT_EQ(decide(rows_of(154, 768), host_target).engine, NormEngine::host);
}
TEST(DecideNorm, SaysWhyRowsAreHeldOtherwise) {
    const auto why = [](NormEngine e, const NormProblem& p) { return std::string(decide(p, sm90_target).why(e)); };
    EXPECT_EQ(why(NormEngine::packed_rows, rows_of(3, 64, {.lanes = 4, .scales = true})),
              "its elements have not 16 bits");
    EXPECT_EQ(why(NormEngine::packed_rows, rows_of(3, 64, {})), "its operation reads no gamma");
    EXPECT_EQ(why(NormEngine::packed_rows, rows_of(3, 1288)), "rows are longer than 32 lanes hold");
    EXPECT_EQ(why(NormEngine::packed_rows, rows_of(65536, 1024)), "rows are too many to be under way at once");
    EXPECT_EQ(why(NormEngine::shared_rows, rows_of(3, 8200, {.not_stored = "evaluated"})), "evaluated");
    EXPECT_EQ(why(NormEngine::shared_rows, rows_of(3, 4088)), "rows have fewer chunks than a block has threads");
    EXPECT_EQ(why(NormEngine::shared_rows, rows_of(3, 1 << 17)), "rows are larger than the shared memory of a block");
    EXPECT_EQ(why(NormEngine::register_rows, rows_of(3, 8200)), "rows are longer than the registers of a block hold");
    EXPECT_EQ(why(NormEngine::streamed_rows, rows_of(3, 64)), "an engine that comes first takes it");
}
TEST(DecideNorm, SaysOfEveryOtherKernelWhyNot) {
    for (const TargetInfo& t : known_targets)
        for (const NormProblem& p : {groups_of(2, 64, 1280), groups_of(2, 65536, 256), rows_of(8, 1024),
                                     rows_of(8, 8192), rows_of(8, 8200), rows_of(8, 1 << 17)}) {
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
    EXPECT_EQ(words(rows_of(154, 768), host_target), "one pass over rows");
    EXPECT_EQ(words(rows_of(154, 768), sm90_target),
              "packed rows: 77 blocks of 64 threads, 32 a row, each up to 3 chunks of 8 elements");
    EXPECT_EQ(words(rows_of(3, 1288, {.scales = true, .operands = 5152}), sm90_target),
              "rows in registers: 3 blocks of 256 threads, 256 a row, each a chunk of 8 elements, operands copied to "
              "shared memory");
    EXPECT_EQ(words(rows_of(3, 16384), sm90_target),
              "rows in shared memory: 3 blocks of 512 threads, 512 a row, each up to 4 chunks of 8 elements");
    EXPECT_EQ(words(rows_of(4, 100000, {.streamed = 4, .not_stored = "evaluated"}), sm90_target),
              "streamed rows: 4 blocks of 1024 threads, 1024 a row, each up to 13 chunks of 8 elements, 7136 of 12500 "
              "chunks of a row kept on chip, the others read twice");
    EXPECT_EQ(words(rows_of(4, 100000, {.streamed = 2, .not_stored = "stored elsewhere"}), sm90_target),
              "streamed rows: 4 blocks of 1024 threads, 1024 a row, each up to 13 chunks of 8 elements, all kept on "
              "chip");
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
                const double rows = decide(rows_of(1024, channels), t).cost_us;
                EXPECT_GT(rows, 0);
                EXPECT_GT(decide(rows_of(2048, channels), t).cost_us, rows);
            }
}
TEST(DecideNorm, RowsCostALaunchAndTheirBytes) {
    // 1.6 MB at 3352 GB/s; of 12500 chunks of each of 4 rows, 5364 of 16 bytes are read once more.
    EXPECT_DOUBLE_EQ(decide(rows_of(4, 100000, {.streamed = 2}), sm90_target).cost_us, 1.9 + 1.6e6 / 3352e3);
    EXPECT_DOUBLE_EQ(decide(rows_of(4, 100000, {.streamed = 4, .not_stored = "evaluated"}), sm90_target).cost_us,
                     1.9 + (1.6e6 + 4 * 5364 * 16) / 3352e3);
}

}  // namespace
