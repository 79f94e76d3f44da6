// SPDX-License-Identifier: Apache-2.0
/// The split of a GroupNorm over clusters: all of it once, within a multiprocessor's shared memory, and not at all
/// where the portable kernel takes less.
#include <inlay/tile/cuda/wgmma/norm/split.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace {

using namespace inlay;

TEST(GroupNormClusterPlan, EachPixelOfEachGroupOnce) {
    constexpr int units = 132, shared_bytes = 227 * 1024;   // of an H200
    const auto plan = [&](index_t items, index_t pixels, index_t channels) {
        return on_gpu::GroupNormClusters(GroupNormSplit::of(units, shared_bytes, items, pixels, channels, 32, 2));
    };
    using Image = std::pair<index_t, index_t>;
    for (const auto& [pixels, channels] :
         {Image{4096, 320}, {4096, 640}, {1024, 1920}, {256, 1280}, {64, 2560}, {30, 320}, {1, 320}}) {
        const auto p = plan(2, pixels, channels);
        ASSERT_GT(p.span, 0) << pixels << "x" << channels;
        EXPECT_EQ(p.pixels(), pixels);
        EXPECT_EQ(p.groups * p.width, p.span);
        EXPECT_EQ(p.tasks * p.span, 2 * channels);
        EXPECT_LE(p.shared(2), shared_bytes);
        int slab = 0;
        for (int member = 0; member < p.team; ++member) {
            EXPECT_EQ(p.first_pixel(member), slab);
            for (int row = 0; row < p.rows; ++row) slab += p.steps_of(member, row);
        }
        EXPECT_EQ(slab, pixels);
    }
    EXPECT_EQ(plan(1, 65536, 256).span, 0) << "rows of 8 channels: the portable kernel takes less";
    EXPECT_EQ(plan(1, 262144, 256).span, 0) << "more than all shared memory";
    EXPECT_EQ(plan(1, 4096, 128).span, 0) << "groups of 4 channels: three may lie in a chunk";
}

}  // namespace
