// SPDX-License-Identifier: Apache-2.0
/// Maps of the mfma atoms against the places of the instruction's operands, as the manual of the MI300's instruction set
/// has them: lane l has row (of A) or column (of B) l % m and a group of neighbours along k, of C column l % m.
#include <inlay/tile/hip/mfma/map.hpp>

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace {

using namespace inlay::on_gpu;

template <class Map>
class MfmaMaps : public testing::Test {};
using Maps = testing::Types<Mfma16Map, Mfma32Map, MfmaFp32Map>;
TYPED_TEST_SUITE(MfmaMaps, Maps);

TYPED_TEST(MfmaMaps, EveryElementIsInOneRegister) {
    using Map = TypeParam;
    std::set<std::pair<int, int>> a, b, c;
    for (int lane = 0; lane < Map::lanes; ++lane) {
        for (int i = 0; i < Map::k / Map::chunks; ++i) {
            const Place of_a = Map::place_a(lane, i), of_b = Map::place_b(lane, i);
            a.insert({of_a.row, of_a.column});
            b.insert({of_b.row, of_b.column});
        }
        for (int i = 0; i < Map::c_count; ++i) {
            const Place at = Map::place_c(lane, i);
            EXPECT_GE(at.row, 0);
            EXPECT_LT(at.row, Map::m);
            EXPECT_LT(at.column, Map::n);
            EXPECT_EQ(at.row, Map::place_c(lane, 0).row);
            c.insert({at.row, at.column});
        }
    }
    EXPECT_EQ(a.size(), static_cast<std::size_t>(Map::m * Map::k));
    EXPECT_EQ(b.size(), static_cast<std::size_t>(Map::n * Map::k));
    EXPECT_EQ(c.size(), static_cast<std::size_t>(Map::m * Map::n));
}

/// Instruction i has elements of A and B at the same k, every k once; its first operand is B, its C is transposed.
TYPED_TEST(MfmaMaps, TheInstructionsComputeTheProduct) {
    using Map = TypeParam;
    constexpr int each = Map::per_instruction, groups = Map::lanes / Map::m;
    double product[Map::m][Map::n] = {};
    const auto a = [](int row, int k) { return row * 3 + k * 5 % 7 + 1.0; };
    const auto b = [](int k, int column) { return column * 2 + k * 3 % 11 + 1.0; };
    for (int i = 0; i < Map::instructions; ++i) {
        double first[Map::m][groups * each], second[groups * each][Map::m];
        for (int lane = 0; lane < Map::lanes; ++lane)
            for (int e = 0; e < each; ++e) {
                const Place of_a = Map::place_a(lane, i * each + e), of_b = Map::place_b(lane, i * each + e);
                first[lane % Map::m][lane / Map::m * each + e] = b(of_b.row, of_b.column);
                second[lane / Map::m * each + e][lane % Map::m] = a(of_a.row, of_a.column);
            }
        for (int lane = 0; lane < Map::lanes; ++lane)
            for (int r = 0; r < Map::c_count; ++r) {
                const int row = r / 4 * (4 * groups) + lane / Map::m * 4 + r % 4, column = lane % Map::m;
                const Place at = Map::place_c(lane, r);
                for (int k = 0; k < groups * each; ++k) product[at.row][at.column] += first[row][k] * second[k][column];
            }
    }
    for (int row = 0; row < Map::m; ++row)
        for (int column = 0; column < Map::n; ++column) {
            double expected = 0;
            for (int k = 0; k < Map::k; ++k) expected += a(row, k) * b(k, column);
            EXPECT_EQ(product[row][column], expected) << row << ", " << column;
        }
}

TYPED_TEST(MfmaMaps, RunsOfColumnsAreNeighbours) {
    using Map = TypeParam;
    for (int lane = 0; lane < Map::lanes; ++lane)
        for (int i = 0; i < Map::c_count; i += Map::c_run) {
            EXPECT_EQ(Map::column(lane, i) % 4, 0);
            for (int j = 1; j < Map::c_run; ++j) EXPECT_EQ(Map::column(lane, i + j), Map::column(lane, i) + j);
        }
}

}  // namespace
