// SPDX-License-Identifier: Apache-2.0
/// Maps of gfx1100's atoms against the places of v_wmma's operands, as the manual of RDNA3's instruction set has them:
/// lanes l and l + 16 have row (of A) or column (of B) l, of C every second row of column l.
#include <inlay/tile/hip/wmma/map.hpp>

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace {

using namespace inlay::on_gpu;

TEST(WmmaMap, EveryElementOfCIsInOneRegisterAndRunsAreNeighbours) {
    std::set<std::pair<int, int>> c;
    for (int lane = 0; lane < WmmaMap::lanes; ++lane)
        for (int i = 0; i < WmmaMap::c_count; ++i) {
            const Place at = WmmaMap::place_c(lane, i);
            EXPECT_EQ(at.row, lane % 16);
            EXPECT_LT(at.column, WmmaMap::n);
            EXPECT_EQ(at.column % 4, i % 4);
            EXPECT_EQ(at.column - i % 4, WmmaMap::column(lane, i / 4 * 4));
            c.insert({at.row, at.column});
        }
    EXPECT_EQ(c.size(), 256u);
}

TEST(WmmaMap, BothHalvesOfAWaveHaveTheSameRows) {
    std::set<int> columns;
    for (int lane = 0; lane < 16; ++lane) {
        EXPECT_EQ(Wmma16Map::a_row(lane), Wmma16Map::a_row(lane + 16));
        EXPECT_EQ(Wmma16Map::b_row(lane), Wmma16Map::b_row(lane + 16));
        EXPECT_EQ(WmmaFp32Map::a_row(lane), WmmaFp32Map::a_row(lane + 16));
        columns.insert(Wmma16Map::b_row(lane));
    }
    EXPECT_EQ(columns.size(), 16u);
}

/// Rows of the instruction's result are B's columns: register i of lane l is row 2·i + l / 16, column l % 16.
TEST(WmmaMap, TheInstructionComputesTheProduct) {
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 8; ++i) {
            const int row = 2 * i + lane / 16, column = lane % 16;
            EXPECT_EQ(Wmma16Map::b_row(row), Wmma16Map::place_c(lane, i).column);
            EXPECT_EQ(Wmma16Map::a_row(column), Wmma16Map::place_c(lane, i).row);
        }
}

/// Register i takes B from lane i of the row of 16 lanes.
TEST(WmmaMap, FmaTakesTheColumnOfItsRegister) {
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 8; ++i) {
            EXPECT_EQ(WmmaFp32Map::b_row(lane / 16 * 16 + i), WmmaFp32Map::place_c(lane, i).column);
            EXPECT_EQ(WmmaFp32Map::a_row(lane), WmmaFp32Map::place_c(lane, i).row);
        }
}

/// Eight lanes that read one chunk of their rows touch every bank of shared memory once.
TEST(WmmaMap, RowsThatAreReadTogetherSwizzleApart) {
    for (int first = 0; first < 32; first += 8) {
        std::set<int> b;
        for (int lane = first; lane < first + 8; ++lane) b.insert(Wmma16Map::b_row(lane) % 8);
        EXPECT_EQ(b.size(), 8u);
    }
}

}  // namespace
