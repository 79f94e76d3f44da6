// SPDX-License-Identifier: Apache-2.0
/// Guidance and a sampler's update as one elementwise kernel: every sampler is the same expression with other scalars.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/ternary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/expr/view/slice.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/model/scheduler/step.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::model {

/// Tensor slots: the network's output, the latents, the denoised latents of the step before, fresh noise. Scalar slots:
/// the number of images, guidance, then c_x, c_out, c_denoised, c_prev, c_noise, d_x, d_out, clip, read at every run.
using Unconditional = Slice<Buf<0>, 0, 0, param<0>>;
using Conditional = Slice<Buf<0>, 0, param<0>, param<0>>;
using Guided = Add<Unconditional, Mul<Param<1>, Sub<Conditional, Unconditional>>>;
template <class Output>
using Denoised = Clamp<Add<Mul<Param<7>, Buf<1>>, Mul<Param<8>, Output>>, Neg<Param<9>>, Param<9>>;
template <class Output>
using Stepped = Add<Add<Add<Mul<Param<2>, Buf<1>>, Mul<Param<3>, Output>>, Mul<Param<4>, Denoised<Output>>>,
                    Add<Mul<Param<5>, Buf<2>>, Mul<Param<6>, Buf<3>>>>;

struct sampler_step : Elementwise<Stepped<Unconditional>> {};
struct sampler_step_guided : Elementwise<Stepped<Guided>> {};
/// The denoised latents, which the next step of DPM-Solver++ 2M reads.
struct sampler_denoised : Elementwise<Denoised<Unconditional>> {};
struct sampler_denoised_guided : Elementwise<Denoised<Guided>> {};

/// The first latents of image to image: a sample of the encoder's distribution, then the schedule's first noise level.
/// Tensor slots: mean and log variance, normals for the sample, normals for the level. Scalar slots: latent channels,
/// the VAE's scaling factor, image_scale, noise_scale. diffusers clamps the log variance to [−30, 20].
using LatentMean = Slice<Buf<0>, -1, 0, param<0>>;
using LatentDeviation =
    Exp<Mul<Const<0.5>, Clamp<Slice<Buf<0>, -1, param<0>, param<0>>, Const<-30.0>, Const<20.0>>>>;
struct noised_image : Elementwise<Add<Mul<Mul<Param<2>, Param<1>>, Add<LatentMean, Mul<LatentDeviation, Buf<1>>>>,
                                      Mul<Param<3>, Buf<2>>>> {};

/// A step's row of the schedule, which its kernels read at every run from the target's memory.
struct StepRow {
    float update[8] = {};    ///< c_x, c_out, c_denoised, c_prev, c_noise, d_x, d_out, clip
    float input_scale = 1;
    std::int32_t index = 0;  ///< row of the time projections

    StepRow(const StepCoefficients& k, int i)
        : update{k.c_x, k.c_out, k.c_denoised, k.c_prev, k.c_noise, k.d_x, k.d_out, k.clip}, input_scale(k.input_scale),
          index(i) {}
};

}  // namespace inlay::inline INLAY_ABI::model
