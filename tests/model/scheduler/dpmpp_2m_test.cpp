// SPDX-License-Identifier: Apache-2.0
#include <inlay/model/scheduler/dpmpp_2m.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace inlay::model;

// A network that is right about the noise denoises alike at every level, so that the second order adds nothing: each
// step lands on α'·image + σ'·noise.
TEST(DpmPlusPlus2M, ARightNetworkStaysOnItsLine) {
    const SchedulerConfig config;
    const NoiseLevels levels = noise_levels(SchedulerKind::dpmpp_2m, config, 12);
    const Schedule s = dpmpp_2m_schedule(config, 12, 1);
    ASSERT_EQ(s.steps.size(), 12u);
    const auto at = [&](std::size_t i) {
        const double alpha = 1 / std::sqrt(levels.sigmas[i] * levels.sigmas[i] + 1);
        return static_cast<float>(alpha * (0.4 + levels.sigmas[i] * 1.1));
    };
    float x = at(0), before = 0;
    for (std::size_t i = 0; i < 12; ++i) {
        const float d = denoised(s.steps[i], x, 1.1f);
        EXPECT_NEAR(d, 0.4, 2e-4);
        x = stepped(s.steps[i], x, 1.1f, d, before, 0);
        EXPECT_NEAR(x, at(i + 1), 2e-4);
        before = d;
    }
}
TEST(DpmPlusPlus2M, OnlyTheEndsAreOfFirstOrder) {
    const Schedule s = dpmpp_2m_schedule(SchedulerConfig(), 12, 1);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(s.steps[i].c_prev == 0, i == 0 || i == 11) << i;
    EXPECT_TRUE(s.uses_history());
    EXPECT_FALSE(s.uses_noise());
}

}  // namespace
