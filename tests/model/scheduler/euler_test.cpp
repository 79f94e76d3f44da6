// SPDX-License-Identifier: Apache-2.0
#include <inlay/model/scheduler/euler.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace inlay::model;

// x = image + σ · noise, and a network that is right about the noise: each step lands on the next level.
TEST(Euler, ARightNetworkStaysOnItsLine) {
    const SchedulerConfig config;
    const NoiseLevels levels = noise_levels(SchedulerKind::euler, config, 8);
    const Schedule s = euler_schedule(config, 8, 1);
    ASSERT_EQ(s.steps.size(), 8u);
    const float image = 0.4f, noise = 1.1f;
    float x = image + static_cast<float>(levels.sigmas[0]) * noise;
    for (std::size_t i = 0; i < 8; ++i) {
        const float d = denoised(s.steps[i], x, noise);
        EXPECT_NEAR(d, image, 1e-4);
        x = stepped(s.steps[i], x, noise, d, 0, 0);
        EXPECT_NEAR(x, image + levels.sigmas[i + 1] * noise, 1e-4);
    }
}
TEST(Euler, AncestralStepsKeepTheNoiseOfTheNextLevel) {
    const SchedulerConfig config;
    const NoiseLevels levels = noise_levels(SchedulerKind::euler_ancestral, config, 8);
    const Schedule s = euler_ancestral_schedule(config, 8, 1);
    for (std::size_t i = 0; i < 8; ++i) {
        // From x = σ · noise, image 0: what is left of the noise and what is fresh.
        const double left = stepped(s.steps[i], static_cast<float>(levels.sigmas[i]), 1, 0, 0, 0),
                     fresh = s.steps[i].c_noise;
        EXPECT_NEAR(std::sqrt(left * left + fresh * fresh), levels.sigmas[i + 1], 1e-4);
    }
    EXPECT_TRUE(s.uses_noise());
    SchedulerConfig sample;
    sample.prediction_type = Prediction::sample;
    EXPECT_THROW(euler_ancestral_schedule(sample, 8, 1), inlay::Error);
}

}  // namespace
