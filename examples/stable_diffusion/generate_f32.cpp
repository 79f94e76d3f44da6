// SPDX-License-Identifier: Apache-2.0
#include "generate_on_host.hpp"

std::filesystem::path generate_f32(const Options& options) { return generate_on_host<float>(options); }
std::vector<float> decode_f32(const Options& options, const std::vector<float>& latents) {
    inlay::Host host(options.threads);
    return decode<float>(host, options, latents);
}
std::string explain_f32(const Options& options) { return explain_on_host<float>(options); }
