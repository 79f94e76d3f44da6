// SPDX-License-Identifier: Apache-2.0
/// One denoising step as numbers. Every sampler is a list of these, so that the update of all of them is one
/// elementwise kernel with run-time scalars.
#pragma once

#include <inlay/core/config.hpp>
#include <inlay/model/scheduler/config.hpp>

#include <limits>

namespace inlay::inline INLAY_ABI::model {

/// With x the latents, out the (guided) output of the network and, where their coefficients are not all 0, prev the
/// denoised latents of the step before and noise fresh normals:
///
///     out      = network(input_scale · x, timestep)
///     denoised = clamp(d_x · x + d_out · out, −clip, clip)
///     x'       = c_x · x + c_out · out + c_denoised · denoised + c_prev · prev + c_noise · noise
///
/// Computed in double, rounded once. A product with 0 still spreads NaN and infinity: memory whose coefficient may be 0
/// must have been written all the same.
struct StepCoefficients {
    float timestep = 0;
    float input_scale = 1;
    float c_x = 0, c_out = 0, c_denoised = 0, c_prev = 0, c_noise = 0;
    float d_x = 0, d_out = 0;
    float clip = std::numeric_limits<float>::infinity();
};

/// The denoised value, with clamp's NaN passing through.
inline float denoised(const StepCoefficients& k, float x, float out) {
    const float d = k.d_x * x + k.d_out * out;
    return d < -k.clip ? -k.clip : d > k.clip ? k.clip : d;
}

/// x', given this step's denoised value.
inline float stepped(const StepCoefficients& k, float x, float out, float denoised, float prev, float noise) {
    return k.c_x * x + k.c_out * out + k.c_denoised * denoised + k.c_prev * prev + k.c_noise * noise;
}

namespace detail {

/// x · (latents) + out · (network output)
struct Form {
    double x, out;
};
constexpr Form operator*(double s, Form f) { return {s * f.x, s * f.out}; }
constexpr Form operator+(Form a, Form b) { return {a.x + b.x, a.out + b.out}; }

/// The denoised latents where x = alpha · denoised + sigma · noise, alpha² + sigma² = 1.
constexpr Form denoised_form(Prediction prediction, double alpha, double sigma) {
    switch (prediction) {
        case Prediction::epsilon: return {1 / alpha, -sigma / alpha};
        case Prediction::v_prediction: return {alpha, -sigma};
        case Prediction::sample: break;
    }
    return {0, 1};
}

/// The noise in the same x.
constexpr Form noise_form(Prediction prediction, double alpha, double sigma) {
    switch (prediction) {
        case Prediction::epsilon: return {0, 1};
        case Prediction::v_prediction: return {sigma, alpha};
        case Prediction::sample: break;
    }
    return {1 / sigma, -alpha / sigma};
}

constexpr void set_update(StepCoefficients& k, Form update) {
    k.c_x = static_cast<float>(update.x);
    k.c_out = static_cast<float>(update.out);
}
constexpr void set_denoised(StepCoefficients& k, Form denoised) {
    k.d_x = static_cast<float>(denoised.x);
    k.d_out = static_cast<float>(denoised.out);
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::model
