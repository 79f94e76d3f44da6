// SPDX-License-Identifier: Apache-2.0
#include <inlay/nn/vae_mid.hpp>

#include "asked.hpp"

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

// One product for Q, K and V, which attention reads by strides, between two ResNet blocks.
TEST(VaeMid, IsTwelveLaunches) {
    Asked asked;
    const nn::VaeMid<fp16> layer(asked.load() / "mid_block", 512);
    const auto y = layer.build(asked.build(), asked.tensor(1, 6, 5, 512));
    EXPECT_EQ(y->extents, (Extents<4>{{1, 6, 5, 512}}));
    EXPECT_EQ(asked.launches(),
              "resnets.0.norm1 groupnorm\nresnets.0.conv1 conv2d\nresnets.0.norm2 groupnorm\nresnets.0.conv2 conv2d\n"
              "attentions.0.group_norm groupnorm\nattentions.0.to_q linear\nattentions.0.attention attention\n"
              "attentions.0.to_out.0 linear\n"
              "resnets.1.norm1 groupnorm\nresnets.1.conv1 conv2d\nresnets.1.norm2 groupnorm\nresnets.1.conv2 conv2d\n");
    EXPECT_NE(asked.names().find("mid_block.attentions.0.to_v.weight [512, 512]\n"), std::string::npos);
}
TEST(VaeMid, AWidthWithoutAPlanIsRefused) {
    Asked asked;
    try {
        const nn::VaeMid<fp16> layer(asked.load(), 96);
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "inlay: a head dimension of 96 is not among 32, 64, 512");
    }
}

}  // namespace
