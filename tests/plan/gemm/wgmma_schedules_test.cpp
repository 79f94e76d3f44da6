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

TEST(WgmmaSchedules, AProductCompilesThreeKernelsOrFour) {
    const auto kernels = [](const auto& table, bool pairs) {
        std::set<std::tuple<int, int, bool, int>> all;     // halves are launches of the whole tile's kernel
        for (const WgmmaSchedule& s : table)
            if (wgmma_supports(s, false, pairs, false)) all.insert({s.m * 2 / s.groups, s.n, s.ping_pong, s.halo});
        return all.size();
    };
    EXPECT_LE(kernels(wgmma_boxes, false), 3u);
    EXPECT_LE(kernels(wgmma_boxes, true), 3u);
    EXPECT_LE(kernels(wgmma_windows, false), 4u);
    EXPECT_LE(kernels(wgmma_phases, false), 4u);
}
TEST(WgmmaSchedules, TilesAreWhatTheKernelsHave) {
    const auto each = [](const auto& table, int halo) {
        for (const WgmmaSchedule& s : table) {
            EXPECT_EQ(s.halo, halo);
            EXPECT_TRUE(s.groups == 2 ? s.m == 128 || s.m == 256 : s.groups == 1 && s.m == 64);
            EXPECT_TRUE(s.groups == 2 || !(s.ping_pong || s.halo));     // those have no halves
            EXPECT_TRUE(s.n % 16 == 0 && s.n <= 256);
            // Warpgroups that alternate have no tile together; two of 256×128 have no room.
            EXPECT_EQ(s.splits(), !s.ping_pong && s.m < 256) << s.m << "x" << s.n;
            EXPECT_FALSE(std::string_view(s.found).empty());
        }
    };
    each(wgmma_boxes, 0);
    each(wgmma_windows, 3);
    each(wgmma_phases, 2);
}
TEST(WgmmaSchedules, ACostIsTheSumOfItsParts) {
    const WgmmaCost c = wgmma_cost({128, 160, false, 0, ""}, 264, 40, 1, 132);
    EXPECT_EQ(c.matrix, 640);  // 2 atoms, a clock for 2 columns of 16 elements: 4096 FLOP a clock
    EXPECT_EQ(c.rounds, 2);
    EXPECT_EQ(c.steps, 40);
    EXPECT_EQ(c.clocks(), c.begin + 2 * (40 * std::max({c.matrix, c.shared, c.cache}) + c.finish));
}
TEST(WgmmaSchedules, WarpgroupsThatAlternateFinishBesideStepsButTakeTimeForATurn) {
    const WgmmaSchedule by_turns{128, 128, true, 3, ""};
    const WgmmaCost one = wgmma_cost(by_turns, 132, 18, 1, 132), many = wgmma_cost(by_turns, 1320, 18, 1, 132);
    EXPECT_EQ(one.clocks(), one.begin + one.multiply() + one.finish);
    EXPECT_EQ(many.clocks(), many.begin + 10 * (many.multiply() + many.turn));
    EXPECT_GT(many.turn, 0);
    const WgmmaCost evaluated = wgmma_cost(by_turns, 1320, 36, 1, 132, {true});
    // Evaluation runs beside ping-pong too.
    EXPECT_LT(evaluated.clocks() - evaluated.begin, 10 * (evaluated.multiply() + evaluated.turn));
    EXPECT_EQ(wgmma_cost({128, 128, true, 0, ""}, 1320, 18, 1, 132).turn, 0);
}
TEST(WgmmaSchedules, PartsShareStepsAndExchangeSums) {
    const WgmmaSchedule s{128, 80, false, 0, ""};
    const WgmmaCost whole = wgmma_cost(s, 16, 45, 1, 132), four = wgmma_cost(s, 16, 45, 4, 132);
    EXPECT_EQ(four.steps, 12);
    EXPECT_LT(four.multiply(), whole.multiply());
    EXPECT_GT(four.finish, whole.finish / 4);
}
TEST(WgmmaSchedules, PartsOfHaloTilesBeginWithALineOfTaps) {
    const WgmmaSchedule box{128, 80, false, 0, ""}, halo{128, 80, false, 3, ""};
    const auto first = [](const WgmmaSchedule& s, int parts, int part) { return wgmma_first_k_block(s, 45, parts, part); };
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
        EXPECT_EQ(wgmma_cost(halo, 16, 45, parts, 132).steps, most);
    }
}
TEST(WgmmaSchedules, EachPartHasTwoStepsOrALineOfTaps) {
    const WgmmaSchedule box{128, 80, false, 0, ""}, halo{128, 80, false, 3, ""};
    EXPECT_TRUE(wgmma_can_share(box, 1, 16, 8, 132));
    EXPECT_FALSE(wgmma_can_share(box, 1, 15, 8, 132));
    EXPECT_TRUE(wgmma_can_share(halo, 1, 18, 6, 132));
    EXPECT_FALSE(wgmma_can_share(halo, 1, 18, 7, 132));
}
TEST(WgmmaSchedules, BlocksThatShareAHaloTileBothEvaluateIt) {
    const WgmmaSchedule box{128, 160, false, 0, ""}, halo{128, 160, false, 3, ""};
    EXPECT_EQ(wgmma_evaluations(box, 90, 1), 90);
    EXPECT_EQ(wgmma_evaluations(box, 90, 4), 23);
    EXPECT_EQ(wgmma_evaluations(halo, 90, 1), 10);
    EXPECT_EQ(wgmma_evaluations({128, 80, false, 2, ""}, 40, 2), 5);   // of 10 halo tiles under four taps
    EXPECT_EQ(wgmma_evaluations(halo, 90, 2), 5);      // 45 steps are five halo tiles
    EXPECT_EQ(wgmma_evaluations(halo, 180, 3), 8);     // steps 60 to 119: from within one to within another
}
TEST(WgmmaSchedules, EvaluatingRunsBesideTheStepsButForTheFirst) {
    const WgmmaSchedule wide{128, 160, false, 3, ""}, narrow{128, 80, false, 3, ""},
        tall{256, 128, false, 3, ""};
    for (const WgmmaSchedule& s : {wide, narrow, tall}) {
        const WgmmaCost copied = wgmma_cost(s, 128, 45, 1, 132), made = wgmma_cost(s, 128, 45, 1, 132, {true});
        EXPECT_EQ(copied.evaluate, 0);
        const double once = made.evaluate / 5;
        EXPECT_EQ(made.begin, copied.begin + once);
        EXPECT_EQ(made.multiply(), std::max(copied.multiply(), 5 * once));
        EXPECT_EQ(made.finish, copied.finish);
    }
    EXPECT_EQ(wgmma_evaluators(wide), 7);
    EXPECT_EQ(wgmma_evaluators(narrow), 7);
    EXPECT_EQ(wgmma_evaluators(tall), 3);      // registers
    EXPECT_EQ(wgmma_evaluators({128, 128, true, 0, ""}), 3);
    EXPECT_EQ(wgmma_evaluators({128, 128, true, 3, ""}), 3);
}
TEST(WgmmaSchedules, UpsampledInputsAreEvaluatedOnceForFourOutputs) {
    const WgmmaSchedule narrow{128, 80, false, 3, ""}, tall{256, 128, false, 3, ""};
    for (const WgmmaSchedule& s : {narrow, tall}) {
        const WgmmaCost whole = wgmma_cost(s, 128, 45, 1, 132, {true}),
                         twice = wgmma_cost(s, 128, 45, 1, 132, {true, true});
        EXPECT_DOUBLE_EQ(twice.evaluate, whole.evaluate * 100 / (s.m == 128 ? 200 : 324));
        EXPECT_LT(twice.cache, whole.cache);
    }
}
TEST(WgmmaSchedules, WarpgroupsThatAlternateHideTheFinish) {
    const WgmmaSchedule together{128, 128, false, 0, ""}, ping_pong{128, 128, true, 0, ""};
    EXPECT_LT(wgmma_cost(ping_pong, 1320, 5, 1, 132).clocks(), wgmma_cost(together, 1320, 5, 1, 132).clocks());
    // A tile alone has nothing to hide behind.
    EXPECT_EQ(wgmma_cost(ping_pong, 100, 5, 1, 132).clocks(), wgmma_cost(together, 100, 5, 1, 132).clocks());
}
TEST(WgmmaSchedules, WhatDoesNotSuitIsNotChosen) {
    for (int only = 0; only < static_cast<int>(std::size(wgmma_boxes)); ++only) {
        index_t m_tiles[std::size(wgmma_boxes)] = {};
        m_tiles[only] = 16;
        EXPECT_EQ(choose_wgmma(wgmma_boxes, 132, 1, m_tiles, 640, 40).index, only);
    }
}

}  // namespace
