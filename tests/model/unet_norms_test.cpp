// SPDX-License-Identifier: Apache-2.0
/// The UNet of SD1.5 with its LayerNorms in the products behind them: launches of a step, without weights or kernels.
#include <nn/asked.hpp>

#include <inlay/model/unet.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace inlay_test;

// 335 with kernels for the norms: three a transformer, of which there are 16.
TEST(SD15, LaunchesOfOneStepWithNormsInProducts) {
    Asked asked, once;
    const model::UNet<fp16, nn::LayerNorms::in_products> unet(asked.load(), model::UNetConfig{});
    const Tensor<const float, 2> timesteps(nullptr, {{1, 1}});
    const auto time = unet.build_time(once.build(), timesteps);
    const auto text = unet.build_text(once.build(), asked.tensor(2, 77, 768), true);
    const float scale = 1;
    unet.build(asked.build(), Tensor<const float, 4>(nullptr, {{1, 64, 64, 4}}), &scale, time,
               Tensor<const std::int32_t, 1>(nullptr, {{1}}), text, asked.tensor(2, 64, 64, 4));
    const std::string launches = asked.launches();
    EXPECT_EQ(std::count(launches.begin(), launches.end(), '\n'), 335 - 3 * 16);
    EXPECT_EQ(launches.find("layernorm"), launches.npos);
}

}  // namespace
