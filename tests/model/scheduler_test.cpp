// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/config/scheduler.hpp>
#include <inlay/model/random.hpp>
#include <inlay/model/scheduler.hpp>

#include <tests_folder.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::model;
using nlohmann::json;

using Latents = std::vector<float>;

// Runs a schedule over latents as the fused kernel does; returns the latents after every step.
std::vector<Latents> run(const Schedule& schedule, Latents x, const std::function<float(float, float)>& network,
                         TorchGenerator& generator, bool ancestral) {
    Latents prev(x.size(), 0.f);
    std::vector<Latents> states;
    for (const StepCoefficients& k : schedule.steps) {
        const Latents noise = ancestral ? generator.randn(x.size(), DType::f32) : Latents(x.size(), 0.f);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const float out = network(k.input_scale * x[i], k.timestep);
            const float d = denoised(k, x[i], out);
            x[i] = stepped(k, x[i], out, d, prev[i], noise[i]);
            prev[i] = d;
        }
        states.push_back(x);
    }
    return states;
}

double relative_l2(const Latents& x, const Latents& expected) {
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        error += (static_cast<double>(x[i]) - expected[i]) * (static_cast<double>(x[i]) - expected[i]);
        norm += static_cast<double>(expected[i]) * expected[i];
    }
    return std::sqrt(error / norm);
}

// 1e-5: diffusers rounds sigmas and every tensor of a step to fp32, we round the coefficients. Each is some 1e-7 a
// step, which the fake network's slope, at most 1, lets grow over the run; a wrong coefficient shows above 1e-3. Where
// DDIM clamps, both round the difference of two terms d_x · x, with d_x = 157 in the first step: four roundings of it.
TEST(Scheduler, TrajectoriesAreThoseOfDiffusers) {
    const auto golden = json::parse(std::ifstream(inlay_test::tests_folder() + "/golden/scheduler.json"));
    const auto network = [](float x, float t) { return 0.5f * std::sin(2 * x + t / 1000); };
    double worst = 0;
    int cases = 0;
    for (const auto& c : golden.at("cases")) {
        SCOPED_TRACE(c.at("kind").get<std::string>() + ", " + std::to_string(c.at("steps").get<int>()) + " steps, " +
                     c.at("config").dump() + ", strength " + c.at("strength").dump());
        const SchedulerKind kind = scheduler_kind(c.at("kind").get<std::string>());
        const SchedulerConfig config = io::scheduler_config(c.at("config"), kind);
        const bool from_image = !c.at("strength").is_null();
        const double strength = from_image ? c.at("strength").get<double>() : 1.;
        const Schedule schedule = make_schedule(kind, config, c.at("steps").get<int>(), strength);

        const float sigma = c.at("init_noise_sigma").get<float>();
        EXPECT_NEAR(schedule.init_noise_sigma, sigma, 1e-6 * sigma);
        const auto timesteps = c.at("timesteps").get<std::vector<float>>();
        ASSERT_EQ(schedule.steps.size(), timesteps.size());
        for (std::size_t i = 0; i < timesteps.size(); ++i)
            // Karras' fractional timesteps divide differences of fp32 logarithms.
            EXPECT_NEAR(schedule.steps[i].timestep, timesteps[i], config.use_karras_sigmas ? 2e-3 : 0.) << "step " << i;

        TorchGenerator generator(3);
        Latents x = generator.randn(16, DType::f32);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = from_image
                       ? schedule.image_scale * std::cos(static_cast<float>(i)) + schedule.noise_scale * x[i]
                       : schedule.init_noise_sigma * x[i];
        const auto states = run(schedule, x, network, generator, kind == SchedulerKind::euler_ancestral);
        double tolerance = 1e-5;
        for (const StepCoefficients& k : schedule.steps)
            if (std::isfinite(k.clip)) tolerance = std::max(tolerance, 4 * 0x1p-24 * k.d_x);
        // One by one: the greatest of several may pass over a NaN.
        for (const double error : {relative_l2(states.front(), c.at("first")),
                                   relative_l2(states[states.size() / 2], c.at("middle")),
                                   relative_l2(states.back(), c.at("last"))}) {
            EXPECT_LE(error, tolerance);
            worst = std::max(worst, error);
        }
        ++cases;
    }
    EXPECT_GE(cases, 200);
    std::printf("%d trajectories, worst relative L2 %.2g\n", cases, worst);
}

// Whatever the steps, a network that always predicts the same image ends in that image.
TEST(Scheduler, ANetworkThatKnowsTheImageEndsInIt) {
    constexpr float image = 0.7f;
    for (const SchedulerKind kind : {SchedulerKind::ddim, SchedulerKind::euler, SchedulerKind::euler_ancestral,
                                     SchedulerKind::dpmpp_2m})
        for (const Prediction prediction : {Prediction::epsilon, Prediction::v_prediction, Prediction::sample})
            for (const TimestepSpacing spacing :
                 {TimestepSpacing::leading, TimestepSpacing::linspace, TimestepSpacing::trailing})
                for (const int steps : {1, 2, 9, 40}) {
                    if (kind == SchedulerKind::euler_ancestral && prediction == Prediction::sample) continue;
                    SchedulerConfig config;
                    config.prediction_type = prediction;
                    config.timestep_spacing = spacing;
                    const auto alphas = alphas_cumprod(config);
                    const auto network = [&](float x, float t) {
                        const double below = std::floor(t);
                        // Between timesteps the samplers interpolate sigma.
                        const auto sigma_at = [&](double at) {
                            const double a = alphas[static_cast<std::size_t>(std::min(at, 999.))];
                            return std::sqrt((1 - a) / a);
                        };
                        const double s = sigma_at(below) + (t - below) * (sigma_at(below + 1) - sigma_at(below));
                        const double alpha = 1 / std::sqrt(s * s + 1), sigma = s * alpha;
                        const double noise = (x - alpha * image) / sigma;
                        if (prediction == Prediction::epsilon) return static_cast<float>(noise);
                        if (prediction == Prediction::sample) return image;
                        return static_cast<float>(alpha * noise - sigma * image);
                    };
                    const Schedule schedule = make_schedule(kind, config, steps);
                    TorchGenerator generator(1);
                    Latents x = generator.randn(16, DType::f32);
                    for (float& v : x) v *= schedule.init_noise_sigma;
                    const auto states = run(schedule, x, network, generator, schedule.uses_noise());
                    for (const float v : states.back())
                        EXPECT_NEAR(v, image, 1e-4) << name(kind) << ", prediction " << static_cast<int>(prediction)
                                                    << ", spacing " << static_cast<int>(spacing) << ", " << steps;
                }
}

TEST(Scheduler, SaysWhatAStepReads) {
    SchedulerConfig config;
    EXPECT_FALSE(make_schedule(SchedulerKind::ddim, config, 20).uses_history());
    EXPECT_FALSE(make_schedule(SchedulerKind::euler, config, 20).uses_noise());
    EXPECT_TRUE(make_schedule(SchedulerKind::euler_ancestral, config, 20).uses_noise());
    EXPECT_TRUE(make_schedule(SchedulerKind::dpmpp_2m, config, 20).uses_history());
    EXPECT_EQ(make_schedule(SchedulerKind::euler_ancestral, config, 20).steps.back().c_noise, 0.f);
    EXPECT_EQ(make_schedule(SchedulerKind::dpmpp_2m, config, 20).steps.front().c_prev, 0.f);
}

std::string error_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "no error";
}

TEST(Scheduler, RefusesInOneSentence) {
    SchedulerConfig config;
    const auto made = [&](SchedulerKind kind, int steps, double strength = 1) {
        return error_of([&] { make_schedule(kind, config, steps, strength); });
    };
    for (const SchedulerKind kind : {SchedulerKind::ddim, SchedulerKind::euler, SchedulerKind::euler_ancestral,
                                     SchedulerKind::dpmpp_2m}) {
        EXPECT_EQ(made(kind, 0), "inlay: steps is 0, expected at least 1");
        EXPECT_EQ(made(kind, -3), "inlay: steps is -3, expected at least 1");
        EXPECT_EQ(made(kind, 1001), "inlay: steps is 1001, expected at most the model's 1000 training steps");
        EXPECT_EQ(made(kind, 4, 0.2),
                  "inlay: strength is 0.2, which runs none of 4 steps: expected at least 0.25");
        EXPECT_EQ(made(kind, 4, 1.5), "inlay: strength is 1.5, expected a number from 0 to 1");
        EXPECT_EQ(made(kind, 4, std::nan("")), "inlay: strength is nan, expected a number from 0 to 1");
    }
    EXPECT_EQ(made(SchedulerKind::dpmpp_2m, 1000),
              "inlay: steps is 1000, which visits timestep 500 twice; dpmpp_2m needs fewer steps");
    config.steps_offset = 1;
    EXPECT_EQ(made(SchedulerKind::ddim, 1000),
              "inlay: timestep 1000 of 1000 steps with steps_offset 1 is not one of the 1000 training steps");
    config.prediction_type = Prediction::sample;
    EXPECT_EQ(made(SchedulerKind::euler_ancestral, 20),
              "inlay: prediction_type is 'sample', expected 'epsilon' or 'v_prediction' with scheduler euler_a");
    config.beta_end = 1.5;
    EXPECT_EQ(made(SchedulerKind::euler, 20), "inlay: beta_end is 1.5, expected a number between 0 and 1");
    EXPECT_EQ(error_of([] { scheduler_kind("heun"); }),
              "inlay: scheduler is 'heun', expected ddim, euler, euler_a or dpmpp_2m");
}

}  // namespace
