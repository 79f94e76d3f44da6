// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/scheduler_config.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace {

using namespace inlay;
using namespace inlay::model;
using nlohmann::json;

// scheduler/scheduler_config.json of stable-diffusion-v1-5.
const json sd15 = json::parse(R"({"_class_name": "PNDMScheduler", "_diffusers_version": "0.6.0", "beta_end": 0.012,
    "beta_schedule": "scaled_linear", "beta_start": 0.00085, "num_train_timesteps": 1000, "set_alpha_to_one": false,
    "skip_prk_steps": true, "steps_offset": 1, "trained_betas": null, "clip_sample": false})");

TEST(SchedulerConfig, ReadsTheFileOfSd15ForEveryScheduler) {
    const SchedulerConfig ddim = io::scheduler_config(sd15, SchedulerKind::ddim);
    EXPECT_EQ(ddim.num_train_timesteps, 1000);
    EXPECT_EQ(ddim.beta_start, 0.00085);
    EXPECT_EQ(ddim.beta_end, 0.012);
    EXPECT_EQ(ddim.beta_schedule, BetaSchedule::scaled_linear);
    EXPECT_EQ(ddim.prediction_type, Prediction::epsilon);
    EXPECT_EQ(ddim.steps_offset, 1);
    EXPECT_FALSE(ddim.set_alpha_to_one);
    EXPECT_FALSE(ddim.clip_sample);
    EXPECT_EQ(ddim.timestep_spacing, TimestepSpacing::leading);
    for (const SchedulerKind kind : {SchedulerKind::euler, SchedulerKind::euler_ancestral, SchedulerKind::dpmpp_2m}) {
        const SchedulerConfig config = io::scheduler_config(sd15, kind);
        EXPECT_EQ(config.timestep_spacing, TimestepSpacing::linspace);
        EXPECT_EQ(config.steps_offset, 1);
        EXPECT_TRUE(config.clip_sample);  // not one of its keys
    }
}

TEST(SchedulerConfig, AbsentAndNullKeysAreDiffusersDefaults) {
    for (const json& file : {json::object(), json{{"clip_sample", nullptr}, {"beta_start", nullptr}}}) {
        const SchedulerConfig config = io::scheduler_config(file, SchedulerKind::ddim);
        EXPECT_EQ(config.beta_start, 0.0001);
        EXPECT_EQ(config.beta_end, 0.02);
        EXPECT_EQ(config.beta_schedule, BetaSchedule::linear);
        EXPECT_TRUE(config.set_alpha_to_one);
        EXPECT_TRUE(config.clip_sample);
        EXPECT_EQ(config.clip_sample_range, 1.);
    }
}

TEST(SchedulerConfig, ReadsWhatOnlyOneSchedulerHas) {
    const json file = {{"use_karras_sigmas", true}, {"sigma_min", 0.03},     {"sigma_max", 14.6},
                       {"solver_type", "heun"},     {"euler_at_final", true}, {"lower_order_final", false},
                       {"final_sigmas_type", "sigma_min"}};
    const SchedulerConfig euler = io::scheduler_config(file, SchedulerKind::euler);
    EXPECT_TRUE(euler.use_karras_sigmas);
    EXPECT_EQ(euler.sigma_min, 0.03);
    EXPECT_EQ(euler.sigma_max, 14.6);
    EXPECT_EQ(euler.solver_type, SolverType::midpoint);
    const SchedulerConfig dpm = io::scheduler_config(file, SchedulerKind::dpmpp_2m);
    EXPECT_EQ(dpm.solver_type, SolverType::heun);
    EXPECT_EQ(dpm.final_sigmas_type, FinalSigma::sigma_min);
    EXPECT_TRUE(dpm.euler_at_final);
    EXPECT_FALSE(dpm.lower_order_final);
    EXPECT_FALSE(dpm.sigma_min.has_value());
    EXPECT_FALSE(io::scheduler_config(file, SchedulerKind::ddim).use_karras_sigmas);
}

std::string error_of(const json& file, SchedulerKind kind) {
    try {
        io::scheduler_config(file, kind);
    } catch (const Error& e) {
        return e.what();
    }
    return "no error";
}

TEST(SchedulerConfig, NamesTheKeyAndTheValueItCannotFollow) {
    const auto ddim = [](const json& file) { return error_of(file, SchedulerKind::ddim); };
    const auto dpm = [](const json& file) { return error_of(file, SchedulerKind::dpmpp_2m); };
    EXPECT_EQ(ddim({{"beta_schedule", "sigmoid"}}),
              "inlay: scheduler config has beta_schedule = \"sigmoid\", expected \"linear\", \"scaled_linear\" or "
              "\"squaredcos_cap_v2\"");
    EXPECT_EQ(ddim({{"prediction_type", "flow_prediction"}}),
              "inlay: scheduler config has prediction_type = \"flow_prediction\", expected \"epsilon\", "
              "\"v_prediction\" or \"sample\"");
    EXPECT_EQ(ddim({{"timestep_spacing", 3}}),
              "inlay: scheduler config has timestep_spacing = 3, expected \"leading\", \"linspace\" or \"trailing\"");
    EXPECT_EQ(ddim({{"beta_start", "small"}}),
              "inlay: scheduler config has beta_start = \"small\", expected a number");
    EXPECT_EQ(ddim({{"num_train_timesteps", 1e3}}),
              "inlay: scheduler config has num_train_timesteps = 1000.0, expected an integer");
    EXPECT_EQ(ddim({{"steps_offset", -1}}),
              "inlay: scheduler config has steps_offset = -1, expected an integer from 0 to 1000000");
    EXPECT_EQ(ddim({{"steps_offset", 18446744073709551615u}}),
              "inlay: scheduler config has steps_offset = 18446744073709551615, expected an integer from 0 to 1000000");
    EXPECT_EQ(ddim({{"clip_sample", 1}}), "inlay: scheduler config has clip_sample = 1, expected true or false");
    EXPECT_EQ(ddim({{"thresholding", true}}), "inlay: scheduler config has thresholding = true, expected false");
    EXPECT_EQ(ddim({{"trained_betas", {0.1, 0.2}}}),
              "inlay: scheduler config has trained_betas = [0.1,0.2], expected null");
    EXPECT_EQ(ddim({{"rescale_betas_zero_snr", true}}),
              "inlay: scheduler config has rescale_betas_zero_snr = true, expected false");
    EXPECT_EQ(dpm({{"algorithm_type", "sde-dpmsolver++"}}),
              "inlay: scheduler config has algorithm_type = \"sde-dpmsolver++\", expected \"dpmsolver++\"");
    EXPECT_EQ(dpm({{"solver_order", 3}}), "inlay: scheduler config has solver_order = 3, expected 2");
    EXPECT_EQ(error_of({{"interpolation_type", "log_linear"}}, SchedulerKind::euler),
              "inlay: scheduler config has interpolation_type = \"log_linear\", expected \"linear\"");
    EXPECT_EQ(error_of(json::array(), SchedulerKind::euler),
              "inlay: scheduler config is a JSON array, expected an object");
}

TEST(SchedulerConfig, IgnoresKeysOfOtherSchedulers) {
    EXPECT_EQ(error_of({{"algorithm_type", "anything"}, {"use_karras_sigmas", 7}}, SchedulerKind::ddim), "no error");
    EXPECT_EQ(error_of({{"thresholding", true}, {"clip_sample", 1}}, SchedulerKind::euler), "no error");
}

}  // namespace
