// SPDX-License-Identifier: Apache-2.0
/// Threads and memory of rows, by hand: 132 multiprocessors with 227 KiB for a block, or 108.
#include <inlay/plan/norm/decide.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

RowSplit split(index_t rows, index_t channels, RowFacts facts = {.scales = true},
               const TargetInfo& t = sm90_target) {
    return decide(NormProblem{.items = rows, .pixels = 1, .channels = channels, .element = 16 / facts.lanes,
                              .rows = facts},
                  t)
        .rows;
}
constexpr RowFacts computed{.scales = true, .not_stored = "computed"};

TEST(RowSplit, LanesOfAPackedRow) {
    const auto expect = [](index_t rows, index_t channels, int size, int each, index_t blocks) {
        const RowSplit s = split(rows, channels);
        EXPECT_EQ(s.size, size) << rows << "x" << channels;
        EXPECT_EQ(s.each, each);
        EXPECT_EQ(s.blocks, blocks);
        EXPECT_EQ(s.threads, 64);
    };
    expect(8192, 320, 8, 5, 1024);  // more lanes would not all be under way at once
    expect(2048, 640, 32, 3, 1024);
    expect(512, 1280, 32, 5, 256);
    expect(154, 768, 32, 3, 77);
    expect(77, 320, 16, 3, 20);     // three chunks a lane
    expect(3, 8, 1, 3, 1);
}
TEST(RowSplit, IsTheSameForWarpsOf64) {
    TargetInfo wide = sm90_target;
    wide.warp = 64;
    for (const index_t channels : {1280, 1288, 4096}) {
        EXPECT_EQ(split(3, channels, {.scales = true}, wide).size, split(3, channels).size) << channels;
        EXPECT_EQ(split(65536, channels, computed, wide).size, split(65536, channels, computed).size) << channels;
    }
}
TEST(RowSplit, ThreadsOfARowInRegisters) {
    const auto expect = [](const RowSplit& s, int size, int each, int threads, index_t blocks, index_t shared) {
        EXPECT_EQ(s.size, size);
        EXPECT_EQ(s.each, each);
        EXPECT_EQ(s.threads, threads);
        EXPECT_EQ(s.blocks, blocks);
        EXPECT_EQ(s.shared, shared);
    };
    expect(split(65536, 1024, computed), 32, 4, 64, 32768, 0);      // 128 chunks, of many rows
    expect(split(65536, 2048, computed), 64, 4, 64, 65536, 0);      // two warps
    expect(split(1024, 2048, computed), 64, 4, 128, 512, 0);        // 32 lanes hold 4 chunks each at most
    expect(split(8, 1024, {.lanes = 4}, sm80_target), 256, 1, 256, 8, 0);   // 2048 of 6912 threads, which are idle
    expect(split(8, 8192, computed), 256, 4, 256, 8, 0);
    // Operands are copied for rows of whole chunks that are all under way at once and not long.
    RowFacts f = computed;
    f.operands = 4096;
    EXPECT_EQ(split(1024, 1024, f).shared, 4096);
    EXPECT_EQ(split(1024, 1028, f).shared, 0);
    EXPECT_EQ(split(1024, 2056, f).shared, 0);
    EXPECT_EQ(split(65536, 1024, f).shared, 0);
}
TEST(RowSplit, BlocksOfARowInSharedMemory) {
    const RowSplit s = split(3, 16384), half = split(3, 16384, {}), long_one = split(3, 16392, {});
    EXPECT_EQ(s.threads, 512);
    EXPECT_EQ(s.shared, 32768);
    EXPECT_EQ(half.threads, 256) << "8 chunks each, and no operands in the first-level cache";
    EXPECT_EQ(half.each, 8);
    EXPECT_EQ(long_one.threads, 512);
    EXPECT_EQ(s.blocks, 3);
    // 227 KiB but 1: 14464 chunks.
    EXPECT_EQ(split(3, 14464 * 8).shared, 14464 * 16);
    EXPECT_EQ(split(3, 14465 * 8).threads, 1024) << "streamed";
}
TEST(RowSplit, PartOfAStreamedRowThatIsKept) {
    // 227 KiB but 4: 7136 chunks as floats; a block of half the threads where two of them fit.
    const RowSplit all = split(4, 28544, computed), most = split(4, 57088, computed), part = split(4, 57096, computed);
    EXPECT_EQ(all.threads, 512);
    EXPECT_EQ(all.kept, 3568);
    EXPECT_EQ(all.shared, 3568 * 32);
    EXPECT_EQ(most.threads, 1024);
    EXPECT_EQ(most.kept, 7136);
    EXPECT_EQ(part.kept, 7136) << "of 7137";
    EXPECT_EQ(part.each, 7);
}

}  // namespace
