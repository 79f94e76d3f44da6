// SPDX-License-Identifier: Apache-2.0
/// The tiny pipeline of golden/tiny-sd and what diffusers makes of it, for the tests of the models. Behind functions:
/// the JSON library costs the compiler more than a test.
#pragma once

#include "networks.hpp"

#include <inlay/model/scheduler/config.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace inlay_test {

// Under the sanitizers the networks are there in one storage type: what they look for does not depend on it.
#ifdef INLAY_TEST_FP32_NETWORKS
inline constexpr inlay::DType network_types[] = {inlay::DType::f32};
#else
inline constexpr inlay::DType network_types[] = {inlay::DType::f32, inlay::DType::f16, inlay::DType::bf16};
#endif

/// The tiny pipeline's networks, on threads of their own (0: all) or on a GPU.
std::unique_ptr<Networks> new_networks(inlay::DType t, int threads);
/// One set for each storage type, kept: loading is quick, but the host's threads and memory are worth sharing.
Networks& networks(inlay::DType t);

/// The results of diffusers in fp32, and in double.
std::vector<float> expected_values(const std::string& name);
std::vector<float> exact_values(const std::string& name);
/// The distance of diffusers in a storage type from the double run.
double torch_error(const std::string& name, inlay::DType t);
/// The first items of an expected tensor.
Image expected_image(const std::string& name, index_t items);
double relative_l2(const std::vector<float>& x, const std::vector<float>& y);

/// Text of 1 or 2 items for the UNet, and ids of 2 for CLIP.
std::vector<float> text(index_t items);
std::vector<std::int32_t> ids();
/// Latents as the sampler leaves them.
Image scaled_latents(const std::string& name);
/// The guided run of the golden files. `strength`: image to image where less than 1.
PictureOptions run_options(inlay::model::SchedulerKind kind, int steps, double strength = 1);

}  // namespace inlay_test
