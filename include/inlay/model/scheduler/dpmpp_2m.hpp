// SPDX-License-Identifier: Apache-2.0
/// DPM-Solver++ 2M (Lu et al. 2022), as diffusers' DPMSolverMultistepScheduler with solver_order 2.
#pragma once

#include <inlay/model/scheduler/schedule.hpp>
#include <inlay/model/scheduler/sigmas.hpp>

#include <cmath>
#include <cstddef>

namespace inlay::inline INLAY_ABI::model {

/// With λ = log(α/σ) and h its change over a step, the first order is x' = (σ'/σ) · x + α'(1 − e^−h) · denoised. The
/// second adds a multiple of (denoised − prev)/r, r being the step before over this one, both in λ.
inline Schedule dpmpp_2m_schedule(const SchedulerConfig& config, int steps, double strength) {
    const NoiseLevels levels = noise_levels(SchedulerKind::dpmpp_2m, config, steps);
    const auto first = static_cast<std::size_t>(first_step(steps, strength));
    const std::size_t count = levels.timesteps.size();
    const auto alpha_at = [&](std::size_t i) { return 1 / std::sqrt(levels.sigmas[i] * levels.sigmas[i] + 1); };
    const auto lambda_at = [&](std::size_t i) { return -std::log(levels.sigmas[i]); };  // +∞ at the end

    Schedule out;
    for (std::size_t i = first; i < count; ++i) {
        const double alpha = alpha_at(i), sigma = alpha * levels.sigmas[i];
        const double next_alpha = alpha_at(i + 1), next_sigma = next_alpha * levels.sigmas[i + 1];
        const double h = lambda_at(i + 1) - lambda_at(i);
        const bool last = i + 1 == count;  // may stand at the final level already
        require(h > 0 || last, "steps is ", steps, ", which visits timestep ", levels.timesteps[i],
                " twice; dpmpp_2m needs fewer steps");
        const bool few = config.lower_order_final && count < 15;
        const bool to_zero = config.final_sigmas_type == FinalSigma::zero;
        const bool first_order = i == first || (last && (config.euler_at_final || few || to_zero));

        const double gain = -next_alpha * std::expm1(-h);
        double here = gain, before = 0;
        if (!first_order && h > 0) {
            const double r = (lambda_at(i) - lambda_at(i - 1)) / h;
            const double slope =
                config.solver_type == SolverType::midpoint ? gain / 2 : next_alpha * (std::expm1(-h) / h + 1);
            here += slope / r;
            before = -slope / r;
        }
        const detail::Form denoised = detail::denoised_form(config.prediction_type, alpha, sigma);

        StepCoefficients k;
        k.timestep = static_cast<float>(levels.timesteps[i]);
        detail::set_denoised(k, denoised);
        detail::set_update(k, detail::Form{next_sigma / sigma, 0} + here * denoised);
        k.c_prev = static_cast<float>(before);
        out.steps.push_back(k);
    }
    out.image_scale = static_cast<float>(alpha_at(first));
    out.noise_scale = static_cast<float>(alpha_at(first) * levels.sigmas[first]);
    return out;
}

}  // namespace inlay::inline INLAY_ABI::model
