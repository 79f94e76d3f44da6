// SPDX-License-Identifier: Apache-2.0
#include "generate_on_cuda.hpp"

std::filesystem::path generate_f32_cuda(const Options& options) { return generate_on_cuda<float>(options); }
std::vector<float> decode_f32_cuda(const Options& options, const std::vector<float>& latents) {
    inlay::Cuda cuda(options.cuda);
    return decode<float>(cuda, options, latents);
}
