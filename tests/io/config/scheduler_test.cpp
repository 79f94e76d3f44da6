// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/config/scheduler.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
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
              "inlay: scheduler config: 'beta_schedule' is \"sigmoid\", expected \"linear\", \"scaled_linear\" or "
              "\"squaredcos_cap_v2\"");
    EXPECT_EQ(ddim({{"prediction_type", "flow_prediction"}}),
              "inlay: scheduler config: 'prediction_type' is \"flow_prediction\", expected \"epsilon\", "
              "\"v_prediction\" or \"sample\"");
    EXPECT_EQ(ddim({{"timestep_spacing", 3}}),
              "inlay: scheduler config: 'timestep_spacing' is 3, expected \"leading\", \"linspace\" or \"trailing\"");
    EXPECT_EQ(ddim({{"beta_start", "small"}}),
              "inlay: scheduler config: 'beta_start' is \"small\", expected a number");
    EXPECT_EQ(ddim({{"num_train_timesteps", 1e3}}),
              "inlay: scheduler config: 'num_train_timesteps' is 1000.0, expected an integer from 0 to 1000000");
    EXPECT_EQ(ddim({{"steps_offset", -1}}),
              "inlay: scheduler config: 'steps_offset' is -1, expected an integer from 0 to 1000000");
    EXPECT_EQ(ddim({{"steps_offset", 18446744073709551615u}}),
              "inlay: scheduler config: 'steps_offset' is 18446744073709551615, expected an integer from 0 to 1000000");
    EXPECT_EQ(ddim({{"clip_sample", 1}}), "inlay: scheduler config: 'clip_sample' is 1, expected true or false");
    EXPECT_EQ(ddim({{"thresholding", true}}), "inlay: scheduler config: 'thresholding' is true, expected false");
    EXPECT_EQ(ddim({{"trained_betas", {0.1, 0.2}}}),
              "inlay: scheduler config: 'trained_betas' is [0.1,0.2], expected null");
    EXPECT_EQ(ddim({{"rescale_betas_zero_snr", true}}),
              "inlay: scheduler config: 'rescale_betas_zero_snr' is true, expected false");
    EXPECT_EQ(dpm({{"algorithm_type", "sde-dpmsolver++"}}),
              "inlay: scheduler config: 'algorithm_type' is \"sde-dpmsolver++\", expected \"dpmsolver++\" or \"deis\"");
    EXPECT_EQ(dpm({{"solver_order", 3}}), "inlay: scheduler config: 'solver_order' is 3, expected 2");
    EXPECT_EQ(error_of({{"interpolation_type", "log_linear"}}, SchedulerKind::euler),
              "inlay: scheduler config: 'interpolation_type' is \"log_linear\", expected \"linear\"");
    EXPECT_EQ(error_of(json::array(), SchedulerKind::euler),
              "inlay: scheduler config is a JSON array, expected an object");
}

TEST(SchedulerConfig, IgnoresKeysOfOtherSchedulers) {
    EXPECT_EQ(error_of({{"algorithm_type", "anything"}, {"use_karras_sigmas", 7}}, SchedulerKind::ddim), "no error");
    EXPECT_EQ(error_of({{"thresholding", true}, {"clip_sample", 1}}, SchedulerKind::euler), "no error");
}

constexpr SchedulerKind kinds[] = {SchedulerKind::ddim, SchedulerKind::euler, SchedulerKind::euler_ancestral,
                                   SchedulerKind::dpmpp_2m};

/// Every class of diffusers 0.42 as its `save_pretrained` writes it (golden/make_config_golden.py): those that diffusers
/// lets stand in for each other are read, the others refused by their name.
TEST(SchedulerConfig, ReadsTheFilesOfExchangeableClassesAndRefusesTheOthers) {
    const std::set<std::string> exchangeable = {
        "DDIMScheduler", "DDIMParallelScheduler", "DDPMScheduler", "DDPMParallelScheduler", "DEISMultistepScheduler",
        "DPMSolverMultistepScheduler", "DPMSolverSDEScheduler", "DPMSolverSinglestepScheduler",
        "EulerAncestralDiscreteScheduler", "EulerDiscreteScheduler", "HeunDiscreteScheduler",
        "KDPM2AncestralDiscreteScheduler", "KDPM2DiscreteScheduler", "LMSDiscreteScheduler", "PNDMScheduler",
        "UniPCMultistepScheduler"};
    const io::Json golden = io::read_json_object(test::golden() / "configs.json");
    std::size_t read = 0;
    for (const auto& [name, config] : golden["classes"].items()) {
        if (!name.ends_with("Scheduler") || name == "SASolverScheduler") continue;
        for (const SchedulerKind kind : kinds) {
            const std::string error = error_of(config, kind);
            if (exchangeable.contains(name)) EXPECT_EQ(error, "no error") << name << " " << model::name(kind);
            else EXPECT_TRUE(error.starts_with("inlay: scheduler config: '_class_name' is \"" + name + "\", expected "))
                << error;
        }
        read += exchangeable.contains(name);
    }
    EXPECT_EQ(read, exchangeable.size());
    // Its algorithm is none of DPM-Solver++'s, for diffusers either.
    EXPECT_EQ(error_of(golden["classes"]["SASolverScheduler"], SchedulerKind::ddim), "no error");
    EXPECT_EQ(error_of(golden["classes"]["SASolverScheduler"], SchedulerKind::dpmpp_2m),
              "inlay: scheduler config: 'algorithm_type' is \"data_prediction\", expected \"dpmsolver++\" or \"deis\"");
}

TEST(SchedulerConfig, ReadsThePublishedFiles) {
    const io::Json models = io::read_json_object(test::golden() / "configs.json")["models"];
    for (const char* name : {"sd1.4", "sd1.5", "sd2-base", "sd2.1"})
        for (const SchedulerKind kind : kinds) {
            const SchedulerConfig config = io::scheduler_config(models[name]["scheduler"], kind);
            EXPECT_EQ(config.beta_end, 0.012) << name;
            EXPECT_EQ(config.prediction_type,
                      std::string(name) == "sd2.1" ? Prediction::v_prediction : Prediction::epsilon)
                << name;
        }
}

TEST(SchedulerConfig, LambdaIsClippedNowhere) {
    const auto error = [](const char* value) {
        return error_of(io::parse_json(std::string("{\"lambda_min_clipped\": ") + value + "}", "it"),
                        SchedulerKind::dpmpp_2m);
    };
    EXPECT_EQ(error("-Infinity"), "no error");
    EXPECT_EQ(error("null"), "no error");
    EXPECT_EQ(error("-5.1"), "inlay: scheduler config: 'lambda_min_clipped' is -5.1, expected -Infinity");
    EXPECT_EQ(error("NaN"), "inlay: scheduler config: 'lambda_min_clipped' is NaN, expected -Infinity");
    EXPECT_EQ(error_of(io::parse_json(R"({"beta_start": NaN})", "it"), SchedulerKind::ddim),
              "inlay: scheduler config: 'beta_start' is NaN, expected a number");
}

/// diffusers reads the solvers of DEIS and UniPC as the midpoint rule.
TEST(SchedulerConfig, SolversOfOtherClassesAreTheMidpointRule) {
    for (const char* solver : {"logrho", "bh1", "bh2", "midpoint"})
        EXPECT_EQ(io::scheduler_config({{"solver_type", solver}}, SchedulerKind::dpmpp_2m).solver_type,
                  SolverType::midpoint)
            << solver;
    for (const char* variance : {"fixed_small", "fixed_large"})
        EXPECT_EQ(error_of({{"variance_type", variance}}, SchedulerKind::dpmpp_2m), "no error");
    EXPECT_NE(error_of({{"variance_type", "learned"}}, SchedulerKind::dpmpp_2m), "no error");
}

TEST(SchedulerConfig, UnknownKeysAreRefusedUnlessTheyAreNull) {
    for (const SchedulerKind kind : kinds) {
        EXPECT_EQ(error_of({{"shift", 3.0}}, kind),
                  "inlay: scheduler config: the key 'shift' (3.0) is unknown, and so is its effect, expected no such "
                  "key: delete it if it changes nothing");
        EXPECT_EQ(error_of({{"shift", nullptr}, {"_shift", 3}}, kind), "no error");
        EXPECT_EQ(error_of({{"predict_epsilon", false}}, kind),
                  "inlay: scheduler config: 'predict_epsilon' is false, expected true");
    }
}

}  // namespace
