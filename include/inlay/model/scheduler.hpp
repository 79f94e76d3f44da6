// SPDX-License-Identifier: Apache-2.0
/// Samplers by name: a scheduler's config and a number of steps make the coefficients of every step.
#pragma once

#include <inlay/model/scheduler/ddim.hpp>
#include <inlay/model/scheduler/dpmpp_2m.hpp>
#include <inlay/model/scheduler/euler.hpp>

namespace inlay::inline INLAY_ABI::model {

/// The schedule of `steps` steps, or of its last `strength` share for image to image. Throws for steps that are 0 or
/// more than the model was trained with, and for a config the sampler cannot follow.
inline Schedule make_schedule(SchedulerKind kind, const SchedulerConfig& config, int steps, double strength = 1) {
    switch (kind) {
        case SchedulerKind::ddim: return ddim_schedule(config, steps, strength);
        case SchedulerKind::euler: return euler_schedule(config, steps, strength);
        case SchedulerKind::euler_ancestral: return euler_ancestral_schedule(config, steps, strength);
        case SchedulerKind::dpmpp_2m: return dpmpp_2m_schedule(config, steps, strength);
    }
    fail("scheduler is " + std::to_string(static_cast<int>(kind)) + ", which is no SchedulerKind");
}

}  // namespace inlay::inline INLAY_ABI::model
