// SPDX-License-Identifier: Apache-2.0
/// Euler's method in σ, plain and ancestral (Karras et al. 2022; Crowson's k-diffusion), as diffusers'
/// EulerDiscreteScheduler (without churn) and EulerAncestralDiscreteScheduler.
#pragma once

#include <inlay/model/scheduler/schedule.hpp>
#include <inlay/model/scheduler/sigmas.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace inlay::inline INLAY_ABI::model {

namespace detail {

/// Here x = denoised + σ · noise; the network reads x / √(σ² + 1). Each step follows (x − denoised)/σ down to `down`
/// and adds `up` of fresh noise: to the next level and nothing for plain Euler; for ancestral sampling such that
/// down² + up² is the next level squared.
inline Schedule euler_steps(SchedulerKind kind, const SchedulerConfig& config, int steps, double strength) {
    const NoiseLevels levels = noise_levels(kind, config, steps);
    const double highest = *std::ranges::max_element(levels.sigmas);

    Schedule out;
    out.init_noise_sigma = static_cast<float>(
        config.spacing(kind) == TimestepSpacing::leading ? std::sqrt(highest * highest + 1) : highest);
    const auto first = static_cast<std::size_t>(first_step(steps, strength));
    for (std::size_t i = first; i < levels.timesteps.size(); ++i) {
        const double sigma = levels.sigmas[i], next = levels.sigmas[i + 1];
        const double alpha = 1 / std::sqrt(sigma * sigma + 1);
        double down = next, up = 0;
        if (kind == SchedulerKind::euler_ancestral) {
            up = next * std::sqrt((sigma * sigma - next * next) / (sigma * sigma));
            down = std::sqrt(next * next - up * up);
        }
        Form denoised = denoised_form(config.prediction_type, alpha, sigma * alpha);
        denoised.x *= alpha;
        const double way = (down - sigma) / sigma;

        StepCoefficients k;
        k.timestep = static_cast<float>(levels.timesteps[i]);
        k.input_scale = static_cast<float>(alpha);
        set_denoised(k, denoised);
        set_update(k, Form{1 + way, 0} + -way * denoised);
        k.c_noise = static_cast<float>(up);
        out.steps.push_back(k);
    }
    out.image_scale = 1;
    out.noise_scale = static_cast<float>(levels.sigmas[first]);
    return out;
}

}  // namespace detail

inline Schedule euler_schedule(const SchedulerConfig& config, int steps, double strength) {
    return detail::euler_steps(SchedulerKind::euler, config, steps, strength);
}

/// Diffusers has no ancestral sampling of networks that predict the sample; neither does this.
inline Schedule euler_ancestral_schedule(const SchedulerConfig& config, int steps, double strength) {
    require(config.prediction_type != Prediction::sample,
            "prediction_type is 'sample', expected 'epsilon' or 'v_prediction' with scheduler euler_a");
    return detail::euler_steps(SchedulerKind::euler_ancestral, config, steps, strength);
}

}  // namespace inlay::inline INLAY_ABI::model
