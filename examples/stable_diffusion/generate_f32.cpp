// SPDX-License-Identifier: Apache-2.0
#include "generate_on_host.hpp"

std::filesystem::path generate_f32(const Options& options) { return generate_on_host<float>(options); }
std::string explain_f32(const Options& options) { return explain_on_host<float>(options); }

namespace {
std::vector<float> decode_f32(const Options& options, int images, const std::vector<float>& latents) {
    inlay::Host host(options.threads);
    return decode<float>(host, options, images, latents);
}
}  // namespace

INLAY_HOST_PATH(host_executor){.isa = inlay::host_isa,
                               .generate_f32 = generate_f32,
                               .generate_f16 = generate_f16,
                               .generate_bf16 = generate_bf16,
                               .decode_f32 = decode_f32,
                               .explain_f32 = explain_f32,
                               .explain_f16 = explain_f16,
                               .explain_bf16 = explain_bf16};
