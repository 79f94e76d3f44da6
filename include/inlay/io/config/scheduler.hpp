// SPDX-License-Identifier: Apache-2.0
/// scheduler_config.json as one scheduler reads it: diffusers' `from_config` of that class. The file may be written for
/// another class whose schedulers are exchangeable (SD1.5's is PNDM's); keys that the chosen scheduler does not have
/// are without effect, absent ones and null take its default, and a value it cannot follow is an error that names the
/// key and the value.
#pragma once

#include <inlay/io/config/keys.hpp>
#include <inlay/model/scheduler/config.hpp>

#include <array>
#include <limits>
#include <utility>

namespace inlay::inline INLAY_ABI::io {

namespace detail {

/// diffusers' schedulers that stand in for each other: the network of each gives the same kind of output for the same
/// kind of input.
inline void only_exchangeable(ConfigKeys& keys) {
    keys.one_of("_class_name",
                {"DDIMScheduler", "DDIMParallelScheduler", "DDPMScheduler", "DDPMParallelScheduler",
                 "DEISMultistepScheduler", "DPMSolverMultistepScheduler", "DPMSolverSDEScheduler",
                 "DPMSolverSinglestepScheduler", "EulerAncestralDiscreteScheduler", "EulerDiscreteScheduler",
                 "HeunDiscreteScheduler", "KDPM2AncestralDiscreteScheduler", "KDPM2DiscreteScheduler",
                 "LMSDiscreteScheduler", "PNDMScheduler", "SASolverScheduler", "UniPCMultistepScheduler"});
}

/// All keys of those classes in diffusers 0.42, and of older versions `tensor_format`. Those that a scheduler has are
/// read before; for it the others are of no effect, as for diffusers.
inline void ignore_schedulers(ConfigKeys& keys) {
    keys.without_effect({"algorithm_type", "clip_sample", "clip_sample_range", "corrector_order",
                         "disable_corrector", "dynamic_thresholding_ratio", "euler_at_final", "final_sigmas_type",
                         "flow_shift", "interpolation_type", "lambda_min_clipped", "lower_order_final",
                         "noise_sampler_seed", "predict_x0", "predictor_order", "sample_max_value",
                         "set_alpha_to_one", "shift_terminal", "sigma_max", "sigma_min", "skip_prk_steps",
                         "solver_order", "solver_p", "solver_type", "tau_func", "tensor_format", "thresholding",
                         "time_shift_type", "timestep_type", "use_beta_sigmas", "use_dynamic_shifting",
                         "use_exponential_sigmas", "use_flow_sigmas", "use_karras_sigmas", "use_lu_lambdas",
                         "variance_type"});
}

}  // namespace detail

/// The config of scheduler `kind` in `json`. Throws for a key of that scheduler whose value has the wrong type or is
/// not supported.
inline model::SchedulerConfig scheduler_config(const nlohmann::json& json, model::SchedulerKind kind) {
    using model::BetaSchedule, model::FinalSigma, model::Prediction, model::SchedulerKind, model::SolverType,
        model::TimestepSpacing;
    using std::array, std::pair;
    ConfigKeys keys(json, "scheduler config");
    const bool ddim = kind == SchedulerKind::ddim;
    const bool euler = kind == SchedulerKind::euler;
    const bool multistep = kind == SchedulerKind::dpmpp_2m;

    detail::only_exchangeable(keys);
    model::SchedulerConfig out;
    out.num_train_timesteps = keys.count("num_train_timesteps", out.num_train_timesteps);
    out.beta_start = keys.number("beta_start", out.beta_start);
    out.beta_end = keys.number("beta_end", out.beta_end);
    out.beta_schedule =
        keys.choice("beta_schedule", out.beta_schedule,
                    array{pair{"linear", BetaSchedule::linear}, pair{"scaled_linear", BetaSchedule::scaled_linear},
                          pair{"squaredcos_cap_v2", BetaSchedule::squaredcos_cap_v2}});
    out.prediction_type =
        keys.choice("prediction_type", out.prediction_type,
                    array{pair{"epsilon", Prediction::epsilon}, pair{"v_prediction", Prediction::v_prediction},
                          pair{"sample", Prediction::sample}});
    out.timestep_spacing =
        keys.choice("timestep_spacing", out.spacing(kind),
                    array{pair{"leading", TimestepSpacing::leading}, pair{"linspace", TimestepSpacing::linspace},
                          pair{"trailing", TimestepSpacing::trailing}});
    out.steps_offset = keys.count("steps_offset", out.steps_offset);
    keys.only_null("trained_betas");
    keys.only("rescale_betas_zero_snr", false);
    keys.only("predict_epsilon", true);  // the prediction type as diffusers before 0.7 wrote it
    if (ddim) {
        out.set_alpha_to_one = keys.boolean("set_alpha_to_one", out.set_alpha_to_one);
        out.clip_sample = keys.boolean("clip_sample", out.clip_sample);
        out.clip_sample_range = keys.number("clip_sample_range", out.clip_sample_range);
    }
    if (ddim || multistep) keys.only("thresholding", false);
    if (euler || multistep) {
        out.use_karras_sigmas = keys.boolean("use_karras_sigmas", out.use_karras_sigmas);
        out.final_sigmas_type =
            keys.choice("final_sigmas_type", out.final_sigmas_type,
                        array{pair{"zero", FinalSigma::zero}, pair{"sigma_min", FinalSigma::sigma_min}});
        keys.only("use_exponential_sigmas", false);
        keys.only("use_beta_sigmas", false);
    }
    if (euler) {
        if (keys.given("sigma_min")) out.sigma_min = keys.number("sigma_min", 0);
        if (keys.given("sigma_max")) out.sigma_max = keys.number("sigma_max", 0);
        keys.only("interpolation_type", "linear");
        keys.only("timestep_type", "discrete");
    }
    if (multistep) {
        // The names of DEIS and UniPC, which diffusers reads as those before them.
        keys.one_of("algorithm_type", {"dpmsolver++", "deis"});
        keys.only("solver_order", 2);
        out.solver_type = keys.choice("solver_type", out.solver_type,
                                      array{pair{"midpoint", SolverType::midpoint}, pair{"heun", SolverType::heun},
                                            pair{"logrho", SolverType::midpoint}, pair{"bh1", SolverType::midpoint},
                                            pair{"bh2", SolverType::midpoint}});
        out.lower_order_final = keys.boolean("lower_order_final", out.lower_order_final);
        out.euler_at_final = keys.boolean("euler_at_final", out.euler_at_final);
        keys.only("use_lu_lambdas", false);
        keys.only("use_flow_sigmas", false);
        keys.one_of("variance_type", {"fixed_small", "fixed_small_log", "fixed_large", "fixed_large_log"});
        keys.only("lambda_min_clipped", -std::numeric_limits<double>::infinity());  // no clipping
    }
    detail::ignore_schedulers(keys);
    keys.done();
    return out;
}

}  // namespace inlay::inline INLAY_ABI::io
