// SPDX-License-Identifier: Apache-2.0
/// Noise levels σ = √((1 − ᾱ)/ᾱ), the time of Euler's method and of DPM-Solver++.
#pragma once

#include <inlay/model/scheduler/alphas.hpp>
#include <inlay/model/scheduler/timesteps.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace inlay::inline INLAY_ABI::model {

struct NoiseLevels {
    std::vector<double> timesteps;
    std::vector<double> sigmas;  ///< one more than timesteps: the level after the last step
};

namespace detail {

/// The table at a fractional index; beyond its ends, the end.
inline double interpolated(const std::vector<double>& table, double t) {
    const double last = static_cast<double>(table.size() - 1);
    if (t <= 0) return table.front();
    if (t >= last) return table.back();
    const auto i = static_cast<std::size_t>(t);
    return table[i] + (t - static_cast<double>(i)) * (table[i + 1] - table[i]);
}

/// The fractional timestep at which training saw this noise level, linear in log σ. The logarithms of the table are
/// fp32 as in diffusers, whose timesteps carry that rounding.
inline double timestep_of(const std::vector<float>& log_sigmas, double sigma) {
    const double wanted = std::log((std::max)(sigma, 1e-10));
    const auto above = std::upper_bound(log_sigmas.begin(), log_sigmas.end(), wanted);
    const auto low = std::clamp<std::ptrdiff_t>(above - log_sigmas.begin() - 1, 0,
                                                static_cast<std::ptrdiff_t>(log_sigmas.size()) - 2);
    const float a = log_sigmas[static_cast<std::size_t>(low)], b = log_sigmas[static_cast<std::size_t>(low + 1)];
    const double w = std::clamp((static_cast<double>(a) - wanted) / static_cast<double>(a - b), 0., 1.);
    return (1 - w) * static_cast<double>(low) + w * static_cast<double>(low + 1);
}

/// `n` levels evenly spaced in σ^(1/7) (Karras et al. 2022, equation 5).
inline std::vector<double> karras_sigmas(double max, double min, int n) {
    std::vector<double> out = linspace(0, 1, n);
    const double a = std::pow(max, 1 / 7.), b = std::pow(min, 1 / 7.);
    for (double& x : out) x = std::pow(a + x * (b - a), 7.);
    return out;
}

}  // namespace detail

/// The levels that diffusers' set_timesteps lists. Throws for steps that are 0 or more than the training steps.
inline NoiseLevels noise_levels(SchedulerKind kind, const SchedulerConfig& config, int steps) {
    std::vector<double> table;
    for (const float alpha : alphas_cumprod(config)) {
        const double a = static_cast<double>(alpha);
        table.push_back(std::sqrt((1 - a) / a));
    }

    NoiseLevels out{timesteps(kind, config, steps), {}};
    for (const double t : out.timesteps) out.sigmas.push_back(detail::interpolated(table, t));

    const bool multistep = kind == SchedulerKind::dpmpp_2m;
    if (config.use_karras_sigmas && kind != SchedulerKind::euler_ancestral) {
        double max = multistep ? table.back() : out.sigmas.front();
        double min = multistep ? table.front() : out.sigmas.back();
        if (kind == SchedulerKind::euler) {
            max = config.sigma_max.value_or(max);
            min = config.sigma_min.value_or(min);
        }
        require(min > 0 && min <= max, "sigma_min is ", min, " and sigma_max is ", max,
                ", expected 0 < sigma_min <= sigma_max");
        out.sigmas = detail::karras_sigmas(max, min, steps);
        std::vector<float> logs;
        for (const double s : table) logs.push_back(std::log(static_cast<float>(s)));
        for (std::size_t i = 0; i < out.timesteps.size(); ++i) {
            const double t = detail::timestep_of(logs, out.sigmas[i]);
            const bool rounds = config.beta_schedule != BetaSchedule::squaredcos_cap_v2;
            out.timesteps[i] = !multistep ? t : rounds ? std::nearbyint(t) : std::trunc(t);
        }
    }
    const bool to_zero = kind == SchedulerKind::euler_ancestral || config.final_sigmas_type == FinalSigma::zero;
    out.sigmas.push_back(to_zero ? 0. : table.front());
    return out;
}

}  // namespace inlay::inline INLAY_ABI::model
