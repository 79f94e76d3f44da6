// SPDX-License-Identifier: Apache-2.0
#include <inlay/plan/gemm/wgmma.hpp>
#include <inlay/plan/gemm/wgmma_schedules.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <tuple>

namespace {

using namespace inlay;

TEST(HopperSchedules, AProductCompilesThreeKernelsOrFour) {
    const auto kernels = [](const auto& table, bool pairs) {
        std::set<std::tuple<int, int, bool, bool>> all;     // halves are launches of the whole tile's kernel
        for (const HopperSchedule& s : table)
            if (hopper_suits(s, false, pairs, false)) all.insert({s.m * 2 / s.groups, s.n, s.alternate, s.halo});
        return all.size();
    };
    EXPECT_LE(kernels(hopper_boxes, false), 3u);
    EXPECT_LE(kernels(hopper_boxes, true), 3u);
    EXPECT_LE(kernels(hopper_windows, false), 4u);
}
TEST(HopperSchedules, TilesAreWhatTheKernelsHave) {
    const auto each = [](const auto& table, bool halo) {
        for (const HopperSchedule& s : table) {
            EXPECT_EQ(s.halo, halo);
            EXPECT_TRUE(s.groups == 2 ? s.m == 128 || s.m == 256 : s.groups == 1 && s.m == 64);
            EXPECT_TRUE(s.groups == 2 || !(s.alternate || s.halo));     // those have no halves
            EXPECT_TRUE(s.n % 16 == 0 && s.n <= 256);
            // Warpgroups that alternate have no tile together; two of 256×128 have no room.
            EXPECT_EQ(s.splits(), !s.alternate && s.m < 256) << s.m << "x" << s.n;
            EXPECT_FALSE(std::string_view(s.found).empty());
        }
    };
    each(hopper_boxes, false);
    each(hopper_windows, true);
}
TEST(HopperSchedules, ACostIsTheSumOfItsParts) {
    const HopperCost c = hopper_cost({128, 160, false, false, ""}, 264, 40, 1, 132);
    EXPECT_EQ(c.matrix, 640);  // 2 atoms, a clock for 2 columns of 16 elements: 4096 FLOP a clock
    EXPECT_EQ(c.rounds, 2);
    EXPECT_EQ(c.steps, 40);
    EXPECT_EQ(c.clocks(), c.begin + 2 * (40 * std::max({c.matrix, c.shared, c.cache}) + c.finish));
}
TEST(HopperSchedules, WarpgroupsThatAlternateFinishBesideStepsButTakeTimeForATurn) {
    const HopperSchedule by_turns{128, 128, true, true, ""};
    const HopperCost one = hopper_cost(by_turns, 132, 18, 1, 132), many = hopper_cost(by_turns, 1320, 18, 1, 132);
    EXPECT_EQ(one.clocks(), one.begin + one.multiply() + one.finish);
    EXPECT_EQ(many.clocks(), many.begin + 10 * (many.multiply() + many.turn));
    EXPECT_GT(many.turn, 0);
    const HopperCost evaluated = hopper_cost(by_turns, 1320, 36, 1, 132, {true});
    // What is evaluated runs beside turns too.
    EXPECT_LT(evaluated.clocks() - evaluated.begin, 10 * (evaluated.multiply() + evaluated.turn));
    EXPECT_EQ(hopper_cost({128, 128, true, false, ""}, 1320, 18, 1, 132).turn, 0);
}
TEST(HopperSchedules, PartsShareStepsAndExchangeSums) {
    const HopperSchedule s{128, 80, false, false, ""};
    const HopperCost whole = hopper_cost(s, 16, 45, 1, 132), four = hopper_cost(s, 16, 45, 4, 132);
    EXPECT_EQ(four.steps, 12);
    EXPECT_LT(four.multiply(), whole.multiply());
    EXPECT_GT(four.finish, whole.finish / 4);
}
TEST(HopperSchedules, PartsOfHaloTilesBeginWithALineOfTaps) {
    const HopperSchedule box{128, 80, false, false, ""}, halo{128, 80, false, true, ""};
    const auto first = [](const HopperSchedule& s, int parts, int part) { return hopper_first_step(s, 45, parts, part); };
    EXPECT_EQ(first(box, 4, 1), 11);
    EXPECT_EQ(first(halo, 4, 1), 9);        // of 15 lines 3
    EXPECT_EQ(first(halo, 4, 2), 21);       // and 4
    EXPECT_EQ(first(halo, 4, 3), 33);
    for (const int parts : {1, 2, 7, 8}) {
        EXPECT_EQ(first(halo, parts, 0), 0);
        EXPECT_EQ(first(halo, parts, parts), 45);
        index_t most = 0;
        for (int part = 0; part < parts; ++part) {
            EXPECT_EQ(first(halo, parts, part) % 3, 0);
            most = std::max(most, first(halo, parts, part + 1) - first(halo, parts, part));
        }
        EXPECT_EQ(hopper_cost(halo, 16, 45, parts, 132).steps, most);
    }
}
TEST(HopperSchedules, EachPartHasTwoStepsOrALineOfTaps) {
    const HopperSchedule box{128, 80, false, false, ""}, halo{128, 80, false, true, ""};
    EXPECT_TRUE(hopper_can_share(box, 1, 16, 8, 132));
    EXPECT_FALSE(hopper_can_share(box, 1, 15, 8, 132));
    EXPECT_TRUE(hopper_can_share(halo, 1, 18, 6, 132));
    EXPECT_FALSE(hopper_can_share(halo, 1, 18, 7, 132));
}
TEST(HopperSchedules, BlocksThatShareAHaloTileBothEvaluateIt) {
    const HopperSchedule box{128, 160, false, false, ""}, halo{128, 160, false, true, ""};
    EXPECT_EQ(hopper_evaluations(box, 90, 1), 90);
    EXPECT_EQ(hopper_evaluations(box, 90, 4), 23);
    EXPECT_EQ(hopper_evaluations(halo, 90, 1), 10);
    EXPECT_EQ(hopper_evaluations(halo, 90, 2), 5);      // 45 steps are five halo tiles
    EXPECT_EQ(hopper_evaluations(halo, 180, 3), 8);     // steps 60 to 119: from within one to within another
}
TEST(HopperSchedules, EvaluatingRunsBesideTheStepsButForTheFirst) {
    const HopperSchedule wide{128, 160, false, true, ""}, narrow{128, 80, false, true, ""},
        tall{256, 128, false, true, ""};
    for (const HopperSchedule& s : {wide, narrow, tall}) {
        const HopperCost copied = hopper_cost(s, 128, 45, 1, 132), made = hopper_cost(s, 128, 45, 1, 132, {true});
        EXPECT_EQ(copied.evaluate, 0);
        const double once = made.evaluate / 5;
        EXPECT_EQ(made.begin, copied.begin + once);
        EXPECT_EQ(made.multiply(), std::max(copied.multiply(), 5 * once));
        EXPECT_EQ(made.finish, copied.finish);
    }
    EXPECT_EQ(hopper_evaluators(wide), 7);
    EXPECT_EQ(hopper_evaluators(narrow), 7);
    EXPECT_EQ(hopper_evaluators(tall), 3);      // registers
    EXPECT_EQ(hopper_evaluators({128, 128, true, false, ""}), 3);
    EXPECT_EQ(hopper_evaluators({128, 128, true, true, ""}), 3);
}
TEST(HopperSchedules, UpsampledInputsAreEvaluatedOnceForFourOutputs) {
    const HopperSchedule narrow{128, 80, false, true, ""}, tall{256, 128, false, true, ""};
    for (const HopperSchedule& s : {narrow, tall}) {
        const HopperCost whole = hopper_cost(s, 128, 45, 1, 132, {true}),
                         twice = hopper_cost(s, 128, 45, 1, 132, {true, true});
        EXPECT_DOUBLE_EQ(twice.evaluate, whole.evaluate * 100 / (s.m == 128 ? 200 : 324));
        EXPECT_LT(twice.cache, whole.cache);
    }
}
TEST(HopperSchedules, WarpgroupsThatAlternateHideTheFinish) {
    const HopperSchedule together{128, 128, false, false, ""}, alternate{128, 128, true, false, ""};
    EXPECT_LT(hopper_cost(alternate, 1320, 5, 1, 132).clocks(), hopper_cost(together, 1320, 5, 1, 132).clocks());
    // A tile alone has nothing to hide behind.
    EXPECT_EQ(hopper_cost(alternate, 100, 5, 1, 132).clocks(), hopper_cost(together, 100, 5, 1, 132).clocks());
}
TEST(HopperSchedules, WhatDoesNotSuitIsNotChosen) {
    for (int only = 0; only < static_cast<int>(std::size(hopper_boxes)); ++only) {
        index_t m_tiles[std::size(hopper_boxes)] = {};
        m_tiles[only] = 16;
        EXPECT_EQ(choose_hopper(hopper_boxes, 132, 1, m_tiles, 640, 40).index, only);
    }
}

}  // namespace
