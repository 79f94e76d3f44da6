// SPDX-License-Identifier: Apache-2.0
/// Splits of GroupNorms over teams of blocks: every pixel of every group once, within shared memory, and the
/// cheapest of all splits.
#include <inlay/plan/norm/group_norm_teams.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

constexpr int units = 108, shared_bytes = 163 * 1024;

GroupNormTeams teams_of(index_t items, index_t pixels, index_t channels, int element = 2, int threads = 512) {
    return GroupNormTeams::of(units, shared_bytes, items, pixels, channels, 32, element, threads);
}

TEST(GroupNormTeams, HaveAllPixelsOfAllChannels) {
    for (const index_t pixels : {1, 30, 64, 1024, 4096, 65536})
        for (const index_t channels : {32, 128, 320, 1280, 2560})
            for (const int element : {2, 4}) {
                const auto p = teams_of(2, pixels, channels, element, element == 4 ? 384 : 512);
                ASSERT_GT(p.span, 0) << pixels << "x" << channels;
                EXPECT_EQ(p.pixels(), pixels);
                EXPECT_EQ(p.groups * p.width, p.span);
                EXPECT_EQ(index_t(p.tasks) * p.span, 2 * channels);
                EXPECT_LE(p.shared(element), static_cast<std::size_t>(shared_bytes));
                EXPECT_LE(p.team > 1 ? p.slots * p.team : 1, units) << "a cooperative kernel is resident";
                index_t slab = 0;
                for (int member = 0; member < p.team; ++member) {
                    EXPECT_EQ(p.first_pixel(member), slab);
                    for (int row = 0; row < p.rows; ++row) slab += p.steps_of(member, row);
                }
                EXPECT_EQ(slab, pixels);
            }
}
TEST(GroupNormTeams, TheCheapestSplit) {
    const auto best = teams_of(2, 4096, 320);
    for (const int span : {40, 80, 160, 320})
        for (const index_t team : {0, 1}) {     // as many blocks as keep all, and one
            const auto other = GroupNormTeams::split(units, shared_bytes, 2, 4096, 320, 32, 2, span, team);
            if (other.span == 0) continue;
            EXPECT_LE(best.moved(units, 2), other.moved(units, 2)) << span << " " << team;
        }
}
TEST(GroupNormTeams, GroupsThatAreTooWide) {
    EXPECT_EQ(GroupNormTeams::of(units, shared_bytes, 1, 4, 1 << 23, 1, 2).span, 0);
    EXPECT_EQ(GroupNormTeams::of(units, shared_bytes, 1, 4, index_t(1) << 24, 1 << 20, 2).span, 0);
}

}  // namespace
