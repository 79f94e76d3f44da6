// SPDX-License-Identifier: Apache-2.0
/// DDIM without fresh noise (Song et al. 2020, equation 12 with η = 0), as diffusers' DDIMScheduler.
#pragma once

#include <inlay/model/scheduler/alphas.hpp>
#include <inlay/model/scheduler/schedule.hpp>
#include <inlay/model/scheduler/timesteps.hpp>

#include <cmath>
#include <cstddef>

namespace inlay::inline INLAY_ABI::model {

/// x' = √ᾱ' · denoised + √(1 − ᾱ') · noise. With clip_sample the denoised latents are clamped and the noise is left as
/// the network gave it.
inline Schedule ddim_schedule(const SchedulerConfig& config, int steps, double strength) {
    const std::vector<float> alphas = alphas_cumprod(config);
    const std::vector<double> visited = timesteps(SchedulerKind::ddim, config, steps);
    const double final_alpha = config.set_alpha_to_one ? 1. : static_cast<double>(alphas.front());
    require(!config.clip_sample || config.clip_sample_range > 0, "clip_sample_range is ", config.clip_sample_range,
            ", expected more than 0");

    Schedule out;
    const auto first = static_cast<std::size_t>(first_step(steps, strength));
    for (std::size_t i = first; i < visited.size(); ++i) {
        const int t = static_cast<int>(visited[i]);
        require(t >= 0 && t < config.num_train_timesteps, "timestep ", t, " of ", steps, " steps with steps_offset ",
                config.steps_offset, " is not one of the ", config.num_train_timesteps, " training steps");
        // Not the next timestep of the list: diffusers steps by the whole ratio whatever the spacing.
        const int next = t - config.num_train_timesteps / steps;
        const double a = static_cast<double>(alphas[static_cast<std::size_t>(t)]);
        const double a_next = next >= 0 ? static_cast<double>(alphas[static_cast<std::size_t>(next)]) : final_alpha;
        const double alpha = std::sqrt(a), sigma = std::sqrt(1 - a);
        const detail::Form denoised = detail::denoised_form(config.prediction_type, alpha, sigma);
        const detail::Form noise = std::sqrt(1 - a_next) * detail::noise_form(config.prediction_type, alpha, sigma);

        StepCoefficients k;
        k.timestep = static_cast<float>(t);
        detail::set_denoised(k, denoised);
        if (config.clip_sample) {
            k.clip = static_cast<float>(config.clip_sample_range);
            k.c_denoised = static_cast<float>(std::sqrt(a_next));
            detail::set_update(k, noise);
        } else {
            detail::set_update(k, std::sqrt(a_next) * denoised + noise);
        }
        out.steps.push_back(k);
        if (i == first) {
            out.image_scale = static_cast<float>(alpha);
            out.noise_scale = static_cast<float>(sigma);
        }
    }
    return out;
}

}  // namespace inlay::inline INLAY_ABI::model
