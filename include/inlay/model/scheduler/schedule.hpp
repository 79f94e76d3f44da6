// SPDX-License-Identifier: Apache-2.0
/// The steps of a run and its first latents, which every sampler makes.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/model/scheduler/step.hpp>

#include <algorithm>
#include <vector>

namespace inlay::inline INLAY_ABI::model {

struct Schedule {
    std::vector<StepCoefficients> steps;
    /// Text to image begins at init_noise_sigma · noise.
    float init_noise_sigma = 1;
    /// Image to image begins at image_scale · latents + noise_scale · noise.
    float image_scale = 0;
    float noise_scale = 1;

    /// Some step reads the denoised latents of the step before.
    bool uses_history() const {
        return std::ranges::any_of(steps, [](const StepCoefficients& k) { return k.c_prev != 0; });
    }
    /// Some step adds fresh noise.
    bool uses_noise() const {
        return std::ranges::any_of(steps, [](const StepCoefficients& k) { return k.c_noise != 0; });
    }
};

/// Index of the first step that image to image runs: `strength` of 1 runs all, 0.5 the last half. Throws when none is
/// left.
inline int first_step(int steps, double strength) {
    require(strength >= 0 && strength <= 1, "strength is ", strength, ", expected a number from 0 to 1");
    const int run = (std::min)(static_cast<int>(steps * strength), steps);
    require(run >= 1, "strength is ", strength, ", which runs none of ", steps,
            " steps: expected at least ", 1. / steps);
    return steps - run;
}

}  // namespace inlay::inline INLAY_ABI::model
