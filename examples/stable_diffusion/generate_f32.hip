// SPDX-License-Identifier: Apache-2.0
#include "generate_on_gpu.hpp"

std::filesystem::path generate_f32_hip(const Options& options) { return generate_on_gpu<float>(options); }
std::vector<float> decode_f32_hip(const Options& options, int images, const std::vector<float>& latents) {
    return decode_f32_on_gpu(options, images, latents);
}
