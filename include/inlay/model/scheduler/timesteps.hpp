// SPDX-License-Identifier: Apache-2.0
/// The training timesteps that a run visits, from the noisiest down.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/model/scheduler/config.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace inlay::inline INLAY_ABI::model {

namespace detail {

/// `numpy.linspace(first, last, n)`, in double. One point is `first`.
inline std::vector<double> linspace(double first, double last, int n) {
    std::vector<double> out(static_cast<std::size_t>(n), first);
    for (int i = 1; i < n; ++i) out[static_cast<std::size_t>(i)] = first + (last - first) / (n - 1) * i;
    if (n > 1) out.back() = last;
    return out;
}

/// `out` without its first point, from the last down.
inline std::vector<double> descending_above_first(std::vector<double> out) {
    std::reverse(out.begin(), out.end());
    out.pop_back();
    return out;
}

}  // namespace detail

/// The `steps` timesteps that diffusers' set_timesteps lists. Euler's with linspace spacing have fractions; the others
/// are whole. DPM-Solver++ spaces steps + 1 points and leaves out the lowest.
///
/// For some counts (61 and 103 of 1000) diffusers' trailing spacing lists one more, timestep −1, an accident of numpy's
/// arange; here it is left out.
inline std::vector<double> timesteps(SchedulerKind kind, const SchedulerConfig& config, int steps) {
    const int train = config.num_train_timesteps;
    require(steps >= 1, "steps is ", steps, ", expected at least 1");
    require(steps <= train, "steps is ", steps, ", expected at most the model's ", train, " training steps");
    const bool multistep = kind == SchedulerKind::dpmpp_2m;
    const int points = steps + (multistep ? 1 : 0);
    std::vector<double> out;
    switch (config.spacing(kind)) {
        case TimestepSpacing::linspace:
            out = detail::linspace(0, train - 1, points);
            for (double& t : out) {
                const bool whole = kind == SchedulerKind::ddim || multistep;
                t = whole ? std::nearbyint(t) : static_cast<double>(static_cast<float>(t));
            }
            break;
        case TimestepSpacing::leading:
            for (int i = 0; i < points; ++i) out.push_back(i * (train / points) + config.steps_offset);
            break;
        case TimestepSpacing::trailing: {
            // numpy's arange, to the bit, for many of these are halves: its step is the difference of the first two
            // values, and its product is rounded, which `volatile` keeps from being fused with the sum.
            const double step = (train - static_cast<double>(train) / steps) - train;
            for (int i = 0; i < steps; ++i) {
                const volatile double way = i * step;
                out.push_back(std::nearbyint(train + way) - 1);
            }
            return out;
        }
    }
    if (multistep) return detail::descending_above_first(out);
    std::reverse(out.begin(), out.end());
    return out;
}

}  // namespace inlay::inline INLAY_ABI::model
