// SPDX-License-Identifier: Apache-2.0
/// Tasks of the spatial transformer's phases at the four levels of SD1.5 and beyond them.
#include <inlay/plan/persistent/transformer_tasks.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::persistent;

constexpr TransformerShape levels[] = {
    {2, 4096, 320, 8, 77}, {2, 1024, 640, 8, 77}, {2, 256, 1280, 8, 77}, {2, 64, 1280, 8, 77}};
/// Columns and length of a sum of each phase; 0: no product.
constexpr int columns_of(int phase, int c) { return phase == 4 ? 3 * c : phase == 12 ? 8 * c : c; }
constexpr int sum_of(int phase, int c) { return phase == 13 ? 4 * c : c; }

TEST(TransformerTasks, ProductsAreCoveredWhole) {
    for (const TransformerShape& s : levels)
        for (const int units : {1, 4, 132, 1000}) {
            const TransformerTasks t = transformer_tasks(s, units);
            const Schedule& tile = mma_matrix[transformer_schedule(s.head())];
            for (const int phase : {2, 4, 6, 8, 10, 12, 13, 14}) {
                SCOPED_TRACE(std::string(transformer_phase_names[phase]) + " of " + std::to_string(s.channels));
                const int tiles = (columns_of(phase, s.channels) + tile.n - 1) / tile.n;
                ASSERT_GE(t.slices[phase], 1);
                EXPECT_EQ(t.members[phase], tiles * t.slices[phase]);
                // A slice has four steps at least, and none is empty.
                const int steps = (sum_of(phase, s.channels) + tile.k - 1) / tile.k;
                EXPECT_TRUE(t.slices[phase] == 1 || steps >= 4 * t.slices[phase]);
                const int each = (steps + t.slices[phase] - 1) / t.slices[phase];
                EXPECT_GT(steps, each * (t.slices[phase] - 1));
            }
            for (const int other : {0, 1, 3, 5, 7, 9, 11}) {
                EXPECT_EQ(t.slices[other], 0);
                EXPECT_GE(t.members[other], 1);
            }
        }
}
TEST(TransformerTasks, HeadsAndRows) {
    for (const TransformerShape& s : levels) {
        const TransformerTasks t = transformer_tasks(s, 132);
        EXPECT_EQ(t.members[5], 8);
        EXPECT_EQ(t.members[9], 8);
        EXPECT_GE(t.row_threads * 32, s.channels);
        EXPECT_EQ(s.channels % (8 * t.norm_parts), 0);
    }
    EXPECT_EQ(levels[3].groups(), 2);
    EXPECT_EQ(levels[0].rows(), 8192);
    EXPECT_EQ(levels[2].head(), 160);
}
/// On few multiprocessors nothing is cut that need not be.
TEST(TransformerTasks, OneMultiprocessor) {
    const TransformerTasks t = transformer_tasks(levels[3], 1);
    EXPECT_EQ(t.norm_parts, 1);
    for (const int phase : {2, 4, 6, 8, 10, 12, 13, 14}) EXPECT_EQ(t.slices[phase], 1);
}

}  // namespace
