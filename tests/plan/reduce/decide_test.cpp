// SPDX-License-Identifier: Apache-2.0
/// Decisions of reductions by hand, of fp16 in chunks of 8, on 132 multiprocessors of 4 blocks of 256 threads each.
#include <inlay/plan/reduce/decide.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;

constexpr ReduceProblem rows_of(index_t results, index_t length, index_t lines = 1) {
    return {.results = results, .width = 1, .length = length, .lines = lines, .lanes = 8, .rows = true, .axis = 0,
            .walks_down = true, .bytes = 2.0 * static_cast<double>(results * lines * length)};
}
constexpr ReduceProblem columns_of(index_t width, index_t lines, index_t tiles = 1) {
    return {.results = tiles * width, .width = width, .length = 1, .lines = lines, .lanes = 8,
            .bytes = 2.0 * static_cast<double>(tiles * width * lines)};
}
std::string words(const ReduceProblem& p, const TargetInfo& t = sm90_target) {
    return std::string(text(p, decide(p, t)));
}

// Numbers alone decide at compile time.
static_assert(decide(rows_of(1 << 20, 64), sm90_target).engine == ReduceEngine::short_rows);

TEST(DecideReduce, ShortRowsThatFillTheDevice) {
    const ReduceDecision d = decide(rows_of(1 << 20, 64), sm90_target);
    EXPECT_EQ(d.size, 8) << "8 chunks";
    EXPECT_EQ(d.blocks(), 4096) << "32 rows beside each other, 8 at once";
    EXPECT_EQ(words(rows_of(1 << 20, 64)),
              "short rows: 4096 blocks of 256 threads, 8 a result, 8 results at once");
    EXPECT_EQ(decide(rows_of(132 * 256, 64), sm90_target).engine, ReduceEngine::short_rows);
}
TEST(DecideReduce, SaysWhyRowsAreNotShort) {
    const auto why = [](const ReduceProblem& p) {
        return std::string(decide(p, sm90_target).why(ReduceEngine::short_rows));
    };
    EXPECT_EQ(why(rows_of(132 * 256 - 1, 64)), "its rows do not fill the device");
    EXPECT_EQ(why(rows_of(1 << 20, 264)), "rows have more than 32 chunks");
    EXPECT_EQ(why(rows_of(1 << 20, 60)), "rows are not whole chunks of 16 bytes");
    EXPECT_EQ(why(rows_of(1 << 20, 64, 2)), "it reduces several axes");
    ReduceProblem p = rows_of(1 << 20, 64);
    p.axis = -1;
    EXPECT_EQ(why(p), "its results lie along several axes");
    p.walks_down = false;
    EXPECT_EQ(why(p), "its input is not walked from row to row");
    EXPECT_EQ(why(columns_of(64, 64)), "its last axis stays");
}
TEST(DecideReduce, ThreadsOfARow) {
    // 2048 chunks: a warp, and as many more as the device has, 135168.
    ReduceDecision d = decide(rows_of(4096, 16384), sm90_target);
    EXPECT_EQ(d.engine, ReduceEngine::rows);
    EXPECT_EQ(d.size, 64);
    EXPECT_EQ(d.blocks(), 1024);
    EXPECT_EQ(d.parts, 1);
    // 32768 chunks: blocks of which two share a result.
    d = decide(rows_of(256, 262144), sm90_target);
    EXPECT_EQ(d.size, 256);
    EXPECT_EQ(d.parts, 2);
    EXPECT_EQ(d.each, 16384);
    EXPECT_EQ(d.blocks(), 512);
    EXPECT_EQ(words(rows_of(256, 262144)), "rows: 512 blocks of 256 threads, 256 a result, 2 blocks share one");
    // Few chunks: 16 for each thread of a part at least.
    EXPECT_EQ(decide(rows_of(1, 3 * 256 * 16 * 8), sm90_target).parts, 3);
    EXPECT_EQ(decide(rows_of(7, 8), sm90_target).size, 1);
    EXPECT_EQ(decide(rows_of(7, 0), sm90_target).blocks(), 1) << "a sum of no elements";
}
TEST(DecideReduce, ChunksBesideEachOtherOfColumns) {
    ReduceDecision d = decide(columns_of(256, 262144), sm90_target);
    EXPECT_EQ(d.engine, ReduceEngine::columns);
    EXPECT_EQ(d.size, 32);
    EXPECT_EQ(d.parts, 528) << "all blocks share one tile";
    EXPECT_EQ(d.each, 497);
    EXPECT_EQ(words(columns_of(256, 262144)),
              "columns: 528 blocks of 256 threads, 32 chunks beside each other, 528 blocks share one");
    d = decide(columns_of(100, 64, 1000), sm90_target);
    EXPECT_EQ(d.size, 16) << "of 13 chunks";
    EXPECT_EQ(d.blocks(), 1000);
    EXPECT_EQ(d.parts, 1);
}
TEST(DecideReduce, SaysOfEveryOtherKernelWhyNot) {
    for (const TargetInfo& t : known_targets)
        for (const ReduceProblem& p : {rows_of(1 << 20, 64), rows_of(256, 262144), columns_of(256, 64)}) {
            const ReduceDecision d = decide(p, t);
            for (int i = 0; i < reduce_engines; ++i)
                EXPECT_EQ(d.why_not[i] == nullptr, i == static_cast<int>(d.engine)) << t.name << ", engine " << i;
        }
}
TEST(DecideReduce, CostsALaunchAndItsBytes) {
    EXPECT_DOUBLE_EQ(decide(rows_of(256, 262144), sm90_target).cost_us, 1.9 + 2.0 * 256 * 262144 / 3352e3);
    EXPECT_EQ(decide(rows_of(256, 262144), host_target).cost_us, 0);
    EXPECT_EQ(words(rows_of(256, 262144), host_target), "one pass over rows");
}

}  // namespace
