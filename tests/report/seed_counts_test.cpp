// SPDX-License-Identifier: Apache-2.0
/// The launches of one UNet step by the rules of the document Inlay grew from, on the real topology of Stable Diffusion
/// 1.5: 22 ResNet blocks, 16 spatial transformers, 3 downsamplers, 3 upsamplers.
#include <inlay/model/config.hpp>
#include <inlay/report/seed_counts.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

TEST(SeedCounts, StableDiffusion15) {
    constexpr UNetTopology t{8, 2, 12, 2, 16, 3, 3};
    EXPECT_EQ(seed_counts(t).naive, 791);
    EXPECT_EQ(seed_counts(t).fused, 423);
}
TEST(SeedCounts, TheConfigurationHasThatTopology) {
    const UNetTopology t = model::UNetConfig{}.topology();
    EXPECT_EQ(t.down_resnets, 8);
    EXPECT_EQ(t.mid_resnets, 2);
    EXPECT_EQ(t.up_resnets, 12);
    EXPECT_EQ(t.down_shortcuts, 2);
    EXPECT_EQ(t.transformers, 16);
    EXPECT_EQ(t.downsamples, 3);
    EXPECT_EQ(t.upsamples, 3);
}
TEST(SeedCounts, FollowTheTopology) {
    EXPECT_EQ(seed_counts({}).naive, 8);  // time embedding, conv_in, conv_out, the last norm and SiLU
    EXPECT_EQ(seed_counts({}).fused, 5);
    EXPECT_EQ(seed_counts({.transformers = 1}).naive, 8 + 33);
    EXPECT_EQ(seed_counts({.transformers = 1}).fused, 5 + 18);
}

}  // namespace
