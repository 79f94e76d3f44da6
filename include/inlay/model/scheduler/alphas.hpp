// SPDX-License-Identifier: Apache-2.0
/// The noise that training added at each timestep: ᾱ(t), the product of 1 − β up to t.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/model/scheduler/config.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace inlay::inline INLAY_ABI::model {

namespace detail {

/// `torch.linspace(first, last, n, dtype=float32)`: both halves count from their own end.
inline std::vector<float> linspace_f32(double first, double last, int n) {
    const float a = static_cast<float>(first), b = static_cast<float>(last);
    const double from = static_cast<double>(a), to = static_cast<double>(b);
    const double step = static_cast<double>((b - a) / static_cast<float>(n - 1));
    std::vector<float> out(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        const double x = i < n / 2 ? from + step * i : to - step * (n - 1 - i);
        out[static_cast<std::size_t>(i)] = static_cast<float>(x);
    }
    return out;
}

inline std::vector<float> betas(const SchedulerConfig& config) {
    const int n = config.num_train_timesteps;
    switch (config.beta_schedule) {
        case BetaSchedule::linear: return linspace_f32(config.beta_start, config.beta_end, n);
        case BetaSchedule::scaled_linear: {
            std::vector<float> out = linspace_f32(std::sqrt(config.beta_start), std::sqrt(config.beta_end), n);
            for (float& beta : out) {
                const double root = static_cast<double>(beta);
                beta = static_cast<float>(root * root);
            }
            return out;
        }
        case BetaSchedule::squaredcos_cap_v2: break;
    }
    const auto alpha_bar = [n](int t) {
        const double c = std::cos((static_cast<double>(t) / n + 0.008) / 1.008 * std::numbers::pi / 2);
        return c * c;
    };
    std::vector<float> out;
    for (int t = 0; t < n; ++t)
        out.push_back(static_cast<float>((std::min)(1 - alpha_bar(t + 1) / alpha_bar(t), 0.999)));
    return out;
}

}  // namespace detail

/// ᾱ(t) for t = 0 … num_train_timesteps − 1, in (0, 1).
///
/// β, 1 − β and ᾱ are rounded to fp32 as diffusers stores them; all that follows from them is computed in double. The
/// rounding is kept because it is visible: at the first timesteps 1 − ᾱ is near 1e-3, and 1 − β alone moves it by 3e-5
/// of itself.
inline std::vector<float> alphas_cumprod(const SchedulerConfig& config) {
    require(config.num_train_timesteps >= 2, "num_train_timesteps is ", config.num_train_timesteps,
            ", expected at least 2");
    require(config.beta_start > 0 && config.beta_start < 1, "beta_start is ", config.beta_start,
            ", expected a number between 0 and 1");
    require(config.beta_end > 0 && config.beta_end < 1, "beta_end is ", config.beta_end,
            ", expected a number between 0 and 1");
    std::vector<float> out = detail::betas(config);
    double product = 1;
    for (float& x : out) {
        product *= static_cast<double>(static_cast<float>(1. - static_cast<double>(x)));
        x = static_cast<float>(product);
    }
    require(out.back() > 0, "beta_end is ", config.beta_end, " over ", config.num_train_timesteps,
            " timesteps, which leaves nothing of the image at the last of them");
    return out;
}

}  // namespace inlay::inline INLAY_ABI::model
