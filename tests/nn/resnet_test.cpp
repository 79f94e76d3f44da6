// SPDX-License-Identifier: Apache-2.0
#include <inlay/nn/resnet.hpp>

#include "asked.hpp"

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

const Tensor<const fp16, 2> times(nullptr, {{20, 64}}), no_times;
const Tensor<const std::int32_t, 1> step(nullptr, {{1}}), no_step;

TEST(ResNet, FourLaunchesWhereTheChannelsStay) {
    Asked asked;
    const nn::ResNet<fp16, true, 1e-5> block(asked.load(), 64, 64);
    const auto y = block.build(asked.build(), asked.tensor(2, 8, 6, 64), nullptr, times, step);
    EXPECT_EQ(y->extents, (Extents<4>{{2, 8, 6, 64}}));
    EXPECT_EQ(asked.launches(), "norm1 groupnorm\nconv1 conv2d\nnorm2 groupnorm\nconv2 conv2d\n");
    EXPECT_EQ(asked.names().find("conv_shortcut"), std::string::npos);
}
TEST(ResNet, FiveWhereTheyChange) {
    Asked asked;
    const nn::ResNet<fp16, false, 1e-6> block(asked.load(), 32, 64);
    const auto y = block.build(asked.build(), asked.tensor(2, 8, 6, 32), nullptr, no_times, no_step);
    EXPECT_EQ(y->extents, (Extents<4>{{2, 8, 6, 64}}));
    EXPECT_EQ(asked.launches(),
              "norm1 groupnorm\nconv1 conv2d\nnorm2 groupnorm\nconv_shortcut linear\nconv2 conv2d\n");
    EXPECT_NE(asked.names().find("conv_shortcut.weight [64, 32]\nconv_shortcut.bias [64]\n"), std::string::npos);
}
// The concatenation is read where it lies: no launch makes it.
TEST(ResNet, ASkipConnectionIsNoLaunch) {
    Asked asked;
    const nn::ResNet<fp16, true, 1e-5> block(asked.load(), 96, 64, true);
    const auto skip = asked.tensor(2, 8, 6, 32);
    const auto y = block.build(asked.build(), asked.tensor(2, 8, 6, 64), &skip, times, step);
    EXPECT_EQ(y->extents, (Extents<4>{{2, 8, 6, 64}}));
    EXPECT_EQ(asked.launches(),
              "norm1 groupnorm\nconv1 conv2d\nnorm2 groupnorm\nconv_shortcut linear\nconv2 conv2d\n");
}
// Patches of the second norm's result, and one product of them and of both inputs.
TEST(ResNet, AShortcutInColumnsIsNoProductOfItsOwn) {
    Asked asked;
    const nn::ResNet<fp16, true, 1e-5, nn::Shortcuts::in_columns> block(asked.load(), 96, 64, true);
    const auto skip = asked.tensor(2, 8, 6, 32);
    const auto y = block.build(asked.build(), asked.tensor(2, 8, 6, 64), &skip, times, step);
    EXPECT_EQ(y->extents, (Extents<4>{{2, 8, 6, 64}}));
    EXPECT_EQ(asked.launches(),
              "norm1 groupnorm\nconv1 conv2d\nnorm2 groupnorm\nelementwise elementwise\nconv2 linear\n");
    EXPECT_NE(asked.names().find("conv_shortcut.weight [64, 96]\n"), std::string::npos);
}

}  // namespace
