// SPDX-License-Identifier: Apache-2.0
/// The tiny pipeline of golden/tiny-sd against diffusers over 20 guided steps; its components in clip_test, unet_test,
/// vae_test and vae_encoder_test. fp32 has the bounds that the project promises, 1e-4 and 1e-3, and like the 16-bit
/// types must be at most 1.25 times as far from an fp64 run as diffusers itself in the same dtype
/// (golden/model_errors.json).
#include "tiny.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(TinyF32, ImageToImage) {
    auto options = run_options(model::SchedulerKind::ddim, 10, 0.5);
    options.from = expected_image("image_run.image", 1);
    const Picture p = networks(DType::f32).picture(options);
    EXPECT_LE(relative_l2(p.latents.v, expected_values("image_run.latents")), 1e-3);
}

TEST(TinyF32, TwentyGuidedSteps) {
    for (const auto kind : {model::SchedulerKind::ddim, model::SchedulerKind::euler,
                            model::SchedulerKind::euler_ancestral, model::SchedulerKind::dpmpp_2m}) {
        const Picture p = networks(DType::f32).picture(run_options(kind, 20));
        const std::string name = std::string("run.") + model::name(kind);
        EXPECT_LE(relative_l2(p.latents.v, expected_values(name + ".latents")), 1e-3) << name;
        if (kind == model::SchedulerKind::ddim) {
            EXPECT_LE(relative_l2(p.image.v, expected_values("run.ddim.image")), 1e-3);
        }
    }
}

struct TinyAgainstDouble : ::testing::TestWithParam<DType> {
    static void compare(const std::vector<float>& x, const std::string& name, const std::string& run = "") {
        EXPECT_LE(relative_l2(x, exact_values(name + run)), 1.25 * torch_error(name, GetParam()))
            << name << " in " << inlay::name(GetParam());
    }
};
INSTANTIATE_TEST_SUITE_P(Dtypes, TinyAgainstDouble, ::testing::ValuesIn(network_types),
                         [](const auto& info) { return std::string(inlay::name(info.param)); });

TEST_P(TinyAgainstDouble, Components) {
    Networks& n = networks(GetParam());
    compare(n.clip(ids()), "clip.last_hidden_state");
    for (const std::string size : {"16x16", "16x24"})
        for (const int t : {1, 500, 999})
            compare(n.unet(expected_image("unet.sample." + size, 2), t, text(2)).image.v,
                    "unet.noise." + size + ".t" + std::to_string(t) + ".b2");
    compare(n.vae(scaled_latents("vae.latent.8x16")).v, "vae.decoded.8x16");
}

// diffusers keeps the latents in the model's dtype, Inlay in fp32.
TEST_P(TinyAgainstDouble, TwentyGuidedSteps) {
    for (const auto kind : {model::SchedulerKind::ddim, model::SchedulerKind::dpmpp_2m})
        compare(networks(GetParam()).picture(run_options(kind, 20)).latents.v,
                std::string("run.") + model::name(kind) + ".latents", std::string(".") + inlay::name(GetParam()));
}

}  // namespace
