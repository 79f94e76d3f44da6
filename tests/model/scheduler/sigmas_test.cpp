// SPDX-License-Identifier: Apache-2.0
#include <inlay/model/scheduler/sigmas.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace inlay::model;

TEST(Sigmas, FallToZeroOrTheLowest) {
    SchedulerConfig config;
    for (const auto end : {FinalSigma::zero, FinalSigma::sigma_min}) {
        config.final_sigmas_type = end;
        const NoiseLevels l = noise_levels(SchedulerKind::dpmpp_2m, config, 12);
        ASSERT_EQ(l.sigmas.size(), l.timesteps.size() + 1);
        for (std::size_t i = 0; i + 1 < l.sigmas.size(); ++i) EXPECT_GT(l.sigmas[i], l.sigmas[i + 1]);
        EXPECT_EQ(l.sigmas.back() == 0, end == FinalSigma::zero);
    }
}
TEST(Sigmas, OfATableAtAFractionAreBetweenItsEntries) {
    const std::vector<double> table{1, 3, 9};
    EXPECT_EQ(detail::interpolated(table, 0.5), 2);
    EXPECT_EQ(detail::interpolated(table, 1.25), 4.5);
    EXPECT_EQ(detail::interpolated(table, -1), 1);
    EXPECT_EQ(detail::interpolated(table, 7), 9);
}
TEST(Sigmas, TimestepsAreTheInverseOfTheTable) {
    const std::vector<float> logs{std::log(0.1f), std::log(1.f), std::log(10.f)};
    EXPECT_NEAR(detail::timestep_of(logs, 1), 1, 1e-6);
    EXPECT_NEAR(detail::timestep_of(logs, std::sqrt(10.)), 1.5, 1e-6);
    EXPECT_EQ(detail::timestep_of(logs, 1e-20), 0);
    EXPECT_EQ(detail::timestep_of(logs, 1e20), 2);
}
TEST(Sigmas, KarrasLevelsAreEvenInTheSeventhRoot) {
    const auto s = detail::karras_sigmas(14, 0.03, 5);
    EXPECT_NEAR(s.front(), 14, 1e-12);
    EXPECT_NEAR(s.back(), 0.03, 1e-12);
    for (std::size_t i = 1; i + 1 < 5; ++i)
        EXPECT_NEAR(2 * std::pow(s[i], 1 / 7.), std::pow(s[i - 1], 1 / 7.) + std::pow(s[i + 1], 1 / 7.), 1e-12);
}

}  // namespace
