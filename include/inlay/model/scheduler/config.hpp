// SPDX-License-Identifier: Apache-2.0
/// The content of a scheduler_config.json, with diffusers' names and defaults.
#pragma once

#include <inlay/core/error.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace inlay::inline INLAY_ABI::model {

enum class SchedulerKind { ddim, euler, euler_ancestral, dpmpp_2m };

constexpr const char* name(SchedulerKind kind) {
    switch (kind) {
        case SchedulerKind::ddim: return "ddim";
        case SchedulerKind::euler: return "euler";
        case SchedulerKind::euler_ancestral: return "euler_a";
        case SchedulerKind::dpmpp_2m: return "dpmpp_2m";
    }
    return "?";
}

/// The kind that `name` prints as `text`. Throws for any other text.
inline SchedulerKind scheduler_kind(std::string_view text) {
    for (const SchedulerKind kind : {SchedulerKind::ddim, SchedulerKind::euler, SchedulerKind::euler_ancestral,
                                     SchedulerKind::dpmpp_2m})
        if (text == name(kind)) return kind;
    fail("scheduler is '" + std::string(text) + "', expected ddim, euler, euler_a or dpmpp_2m");
}

enum class BetaSchedule { linear, scaled_linear, squaredcos_cap_v2 };
/// The meaning of the network's output: the noise, the velocity, or the denoised sample itself.
enum class Prediction { epsilon, v_prediction, sample };
enum class TimestepSpacing { leading, linspace, trailing };
enum class FinalSigma { zero, sigma_min };
enum class SolverType { midpoint, heun };

struct SchedulerConfig {
    int num_train_timesteps = 1000;
    double beta_start = 0.0001;
    double beta_end = 0.02;
    BetaSchedule beta_schedule = BetaSchedule::linear;
    Prediction prediction_type = Prediction::epsilon;
    std::optional<TimestepSpacing> timestep_spacing;  ///< unset: leading for DDIM, linspace for the others
    int steps_offset = 0;                             ///< added to the timesteps of leading spacing

    // DDIM. eta, the share of fresh noise, is no part of a config; it is 0.
    bool set_alpha_to_one = true;
    bool clip_sample = true;
    double clip_sample_range = 1.;

    // Euler and DPM-Solver++
    bool use_karras_sigmas = false;
    FinalSigma final_sigmas_type = FinalSigma::zero;

    // Euler: the ends of Karras' noise levels, where they are not the schedule's own
    std::optional<double> sigma_min;
    std::optional<double> sigma_max;

    // DPM-Solver++
    SolverType solver_type = SolverType::midpoint;
    bool lower_order_final = true;
    bool euler_at_final = false;

    TimestepSpacing spacing(SchedulerKind kind) const {
        return timestep_spacing.value_or(kind == SchedulerKind::ddim ? TimestepSpacing::leading
                                                                     : TimestepSpacing::linspace);
    }
};

}  // namespace inlay::inline INLAY_ABI::model
