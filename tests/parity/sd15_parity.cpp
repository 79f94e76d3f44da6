// SPDX-License-Identifier: Apache-2.0
/// Compares the networks of a real Stable Diffusion 1.5 with what diffusers computed from the same files:
///
///     sd15_parity MODEL expected.safetensors
///
/// MODEL is a folder or a single file, the other what make_sd15.py wrote. Prints a row for each output; fails where the
/// relative L2 error in fp32 exceeds 1e-4.
#include "../model/networks.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace {

using namespace inlay_test;

std::vector<float> values(const inlay::io::Safetensors& file, const std::string& name) {
    const auto view = file.at(name);
    index_t n = 1;
    for (const index_t e : view.shape) n *= e;
    std::vector<float> v(static_cast<std::size_t>(n));
    std::memcpy(v.data(), view.data, v.size() * sizeof(float));
    return v;
}
Image image(const inlay::io::Safetensors& file, const std::string& name) {
    const auto shape = file.at(name).shape;
    return {shape[0], shape[1], shape[2], shape[3], values(file, name)};
}
double relative_l2(const std::vector<float>& x, const std::vector<float>& y) {
    if (x.size() != y.size()) return INFINITY;
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        error += (double(x[i]) - double(y[i])) * (double(x[i]) - double(y[i]));
        norm += double(y[i]) * double(y[i]);
    }
    return std::sqrt(error / norm);
}

constexpr double bound = 1e-4;
bool passed = true;

void row(const std::string& name, double error, const std::string& more = "") {
    const bool ok = error <= bound;  // false for NaN
    passed = passed && ok;
    std::printf("%-28s %10.3g  %s  %s\n", name.c_str(), error, ok ? "ok" : "FAILED", more.c_str());
    std::fflush(stdout);
}

void compare(const char* model, const char* expected_file) {
    const inlay::io::Safetensors expected(expected_file);
    const auto networks = networks_f32(inlay::io::open_checkpoint(model));
    std::printf("%-28s %10s\n", "output (fp32)", "rel. L2");

    std::vector<std::int32_t> ids(2 * 77);
    std::memcpy(ids.data(), expected.at("clip.ids").data, ids.size() * sizeof ids[0]);
    row("clip.last_hidden_state", relative_l2(networks->clip(ids), values(expected, "clip.last_hidden_state")));

    const auto context = values(expected, "unet.context");
    for (const std::string size : {"64x64", "96x64"})
        for (const int t : {1, 500, 999})
            for (const index_t batch : {1, 2}) {
                Image sample = image(expected, "unet.sample." + size);
                const std::size_t item = sample.v.size() / static_cast<std::size_t>(sample.n);
                sample.v.resize(item * static_cast<std::size_t>(batch));
                sample.n = batch;
                const std::vector<float> text(
                    context.begin(), context.begin() + static_cast<std::ptrdiff_t>(context.size()) / 2 * batch);
                const Noise noise = networks->unet(sample, t, text);
                const auto name = "unet.noise." + size + ".t" + std::to_string(t) + ".b" + std::to_string(batch);
                char more[80];
                std::snprintf(more, sizeof more, "%zu kernels, %.2f s", noise.step_launches, noise.seconds);
                row(name, relative_l2(noise.image.v, values(expected, name)), more);
            }

    Image latents = image(expected, "vae.latent.64x64");
    for (float& x : latents.v) x *= 0.18215f;
    row("vae.decoded.64x64", relative_l2(networks->vae(latents).v, values(expected, "vae.decoded.64x64")));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: sd15_parity MODEL expected.safetensors\n");
        return 2;
    }
    try {
        compare(argv[1], argv[2]);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return passed ? 0 : 1;
}
