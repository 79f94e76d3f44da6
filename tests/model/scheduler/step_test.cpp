// SPDX-License-Identifier: Apache-2.0
#include <inlay/model/scheduler/step.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace inlay::model;

TEST(Step, DenoisedClampsAndLetsNanThrough) {
    StepCoefficients k;
    k.d_x = 1;
    EXPECT_EQ(denoised(k, 1e30f, 0.f), 1e30f);
    k.clip = 2;
    EXPECT_EQ(denoised(k, 3.f, 0.f), 2.f);
    EXPECT_EQ(denoised(k, -3.f, 0.f), -2.f);
    EXPECT_EQ(denoised(k, 1.5f, 0.f), 1.5f);
    EXPECT_TRUE(std::isnan(denoised(k, NAN, 0.f)));
}

// x = α · image + σ · noise, and a network that is right about it.
TEST(Step, FormsInvertTheMixture) {
    constexpr double alpha = 0.6, sigma = 0.8, image = 0.3, noise = -1.7;
    constexpr double x = alpha * image + sigma * noise;
    const auto check = [&](Prediction prediction, double out) {
        const auto d = detail::denoised_form(prediction, alpha, sigma);
        const auto n = detail::noise_form(prediction, alpha, sigma);
        EXPECT_NEAR(d.x * x + d.out * out, image, 1e-15);
        EXPECT_NEAR(n.x * x + n.out * out, noise, 1e-15);
    };
    check(Prediction::epsilon, noise);
    check(Prediction::sample, image);
    check(Prediction::v_prediction, alpha * noise - sigma * image);
}

}  // namespace
