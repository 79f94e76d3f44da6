// SPDX-License-Identifier: Apache-2.0
/// The tiny pipeline of golden/tiny-sd in fp16 through HIP's kernels: at most 1.25 times as far from an fp64 run as
/// diffusers itself.
#include <model/tiny.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;
using namespace inlay_test;

void expect_near(const std::vector<float>& x, const std::string& name, const std::string& run = "") {
    EXPECT_LE(relative_l2(x, exact_values(name + run)), 1.25 * torch_error(name, DType::f16)) << name;
}
TEST(TinyOnHip, Prompt) { expect_near(networks(DType::f16).clip(ids()), "clip.last_hidden_state"); }
TEST(TinyOnHip, UNet) {
    expect_near(networks(DType::f16).unet(expected_image("unet.sample.16x16", 2), 500, text(2)).image.v,
                "unet.noise.16x16.t500.b2");
}
TEST(TinyOnHip, Decoder) { expect_near(networks(DType::f16).vae(scaled_latents("vae.latent.8x16")).v, "vae.decoded.8x16"); }

/// All of it, twenty times: for a night.
TEST(TinyOnHip, TwentyGuidedSteps) {
    expect_near(networks(DType::f16).picture(run_options(model::SchedulerKind::dpmpp_2m, 20)).latents.v,
                "run.dpmpp_2m.latents", ".fp16");
}

}  // namespace
