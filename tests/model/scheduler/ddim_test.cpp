// SPDX-License-Identifier: Apache-2.0
#include <inlay/model/scheduler/ddim.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace inlay::model;

// A network that is right about the noise: latents stay on the line between image and noise, and end as the image.
TEST(Ddim, ARightNetworkEndsAtTheImage) {
    SchedulerConfig config;
    config.set_alpha_to_one = true;
    config.clip_sample = false;
    const Schedule s = ddim_schedule(config, 10, 1);
    ASSERT_EQ(s.steps.size(), 10u);
    const double image = 0.7, noise = -1.3;
    const double a = alphas_cumprod(config)[static_cast<std::size_t>(s.steps[0].timestep)];
    float x = static_cast<float>(std::sqrt(a) * image + std::sqrt(1 - a) * noise);
    for (const StepCoefficients& k : s.steps) {
        const float out = static_cast<float>(noise), d = denoised(k, x, out);
        EXPECT_NEAR(d, image, 2e-4);
        x = stepped(k, x, out, d, 0, 0);
    }
    EXPECT_NEAR(x, image, 2e-4);
    EXPECT_FALSE(s.uses_history());
    EXPECT_FALSE(s.uses_noise());
}
TEST(Ddim, ImageToImageBeginsAtItsFirstStep) {
    SchedulerConfig config;
    const Schedule all = ddim_schedule(config, 10, 1), half = ddim_schedule(config, 10, 0.5);
    ASSERT_EQ(half.steps.size(), 5u);
    EXPECT_EQ(half.steps[0].timestep, all.steps[5].timestep);
    EXPECT_NEAR(half.image_scale * half.image_scale + half.noise_scale * half.noise_scale, 1, 1e-6);
}

}  // namespace
