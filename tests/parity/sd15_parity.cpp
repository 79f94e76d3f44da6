// SPDX-License-Identifier: Apache-2.0
/// Compares the networks of a real Stable Diffusion 1.5 with what diffusers computed from the same files:
///
///     sd15_parity MODEL expected.safetensors [DTYPE [REPLAYS]]
///
/// MODEL is a folder or a single file, the other what make_sd15.py wrote. Prints a row for each output; fails where the
/// relative L2 error exceeds 1e-4 in fp32 (DTYPE left out), and 1.25 times diffusers' own in fp16 and bf16, which
/// `make_sd15.py --errors` leaves in the file with a 50-step guided run. REPLAYS: prompt, step and decoder are timed.
#include "../model/networks.hpp"

#include <inlay/io/weights/checkpoint.hpp>
#include <inlay/io/config/scheduler.hpp>
#include <inlay/model/scheduler.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

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
double squares(const std::vector<float>& x, const std::vector<float>* minus = nullptr) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double d = double(x[i]) - (minus ? double((*minus)[i]) : 0);
        sum += d * d;
    }
    return sum;
}
double relative_l2(const std::vector<float>& x, const std::vector<float>& y) {
    return x.size() == y.size() ? std::sqrt(squares(x, &y) / squares(y)) : INFINITY;
}
/// Of pictures in [−1, 1], in dB.
double psnr(const std::vector<float>& x, const std::vector<float>& y) {
    return 10 * std::log10(4 * static_cast<double>(x.size()) / squares(x, &y));
}

class Parity {
public:
    Parity(const char* model, const char* expected, const std::string& dtype)
        : files_(inlay::io::open_checkpoint(model)), expected_(expected), dtype_(dtype) {
        const auto start = std::chrono::steady_clock::now();
        networks_ = load();
        const std::chrono::duration<double> s = std::chrono::steady_clock::now() - start;
        std::printf("%s: %zu MB of weights loaded in %.1f s\n%-28s %10s %10s\n", dtype.c_str(),
                    networks_->bytes() >> 20, s.count(), "output", "rel. L2", "at most");
        const auto golden = inlay::io::Json::parse(expected_.metadata().at("golden"));
        if (golden.contains("errors")) errors_ = golden.at("errors");
        inlay::require(dtype == "fp32" || !errors_.is_null(), expected, " has no errors of diffusers in ", dtype,
                       ": make_sd15.py --errors writes them");
    }

    void components() {
        row("clip.last_hidden_state", networks_->clip(ids()));
        const auto context = values(expected_, "unet.context");
        for (const std::string size : {"64x64", "96x64"})
            for (const int t : {1, 500, 999})
                for (const index_t batch : {1, 2}) {
                    Image sample = image(expected_, "unet.sample." + size);
                    const std::size_t item = sample.v.size() / static_cast<std::size_t>(sample.n);
                    sample.v.resize(item * static_cast<std::size_t>(batch));
                    sample.n = batch;
                    const std::vector<float> text(
                        context.begin(), context.begin() + static_cast<std::ptrdiff_t>(context.size()) / 2 * batch);
                    const Noise noise = networks_->unet(sample, t, text);
                    char more[80];
                    std::snprintf(more, sizeof more, "%zu kernels, %.4f s", noise.step_launches, noise.seconds);
                    row("unet.noise." + size + ".t" + std::to_string(t) + ".b" + std::to_string(batch), noise.image.v,
                        more);
                }
        Image latents = image(expected_, "vae.latent.64x64");
        for (float& x : latents.v) x *= 0.18215f;
        row("vae.decoded.64x64", networks_->vae(latents).v);
    }

    /// 50 guided steps, twice from the first one's pipeline and once beside another thread's: the same picture, bit for
    /// bit.
    void run(int replays) {
        if (errors_.is_null()) return;
        PictureOptions o;
        o.width = o.height = 512;
        o.schedule = schedule(50);
        o.ids = ids();
        o.seeds = {42};
        o.repeats = 2;
        o.replays = replays;
        const Picture p = networks_->picture(o);
        const std::string of = "." + dtype_;
        char more[80];
        std::snprintf(more, sizeof more, "PSNR of the picture %.1f dB",
                      psnr(p.image.v, values(expected_, "run.image" + of)));
        if (dtype_ != "fp32")
            std::snprintf(more + std::strlen(more), 40, ", diffusers' own %.1f dB",
                          errors_.at("run.psnr").at(dtype_).get<double>());
        row("run.latents", p.latents.v, more, of);
        std::printf("run: prompt %.4f s, 50 steps %.4f s, decode %.4f s\n", p.timings.prompt, p.timings.denoise,
                    p.timings.decode);
        if (replays > 0)
            std::printf("alone, median of %d: prompt %.3f ms, step %.3f ms, decode %.3f ms\n", replays,
                        p.alone.prompt * 1e3, p.alone.step * 1e3, p.alone.decode * 1e3);
        check("a step launches what its programs hold, " + std::to_string(p.explained_launches) + " kernels: " +
                  std::to_string(p.step_launches),
              p.step_launches == p.explained_launches && p.step_launches <= 340);
        const std::size_t used = networks_->in_use();
        std::printf("memory: arena %zu MB, in use on the device %zu MB\n", p.arena >> 20, used >> 20);

        o.repeats = 1;
        o.replays = 0;
        const auto other = load();
        Picture q, r;
        std::thread beside([&] { q = other->picture(o); });
        r = networks_->picture(o);
        beside.join();
        check("another run gives the same picture, bit for bit", r.image.v == p.image.v);
        check("and so does another model in another thread", q.image.v == p.image.v);

        o.schedule = schedule(200);
        o.watch = [&] { return networks_->in_use(); };
        // The whole device's: it says nothing while other programs come and go there.
        const Picture flat = networks_->picture(o);
        check("memory is flat over 200 steps",
              !flat.watched.empty() &&
                  std::ranges::all_of(flat.watched, [&](std::size_t u) { return u == flat.watched.front(); }));
    }
    bool passed() const { return passed_; }

private:
    std::unique_ptr<Networks> load() const {
        return dtype_ == "fp32"   ? networks_f32(files_)
               : dtype_ == "fp16" ? networks_f16(files_)
                                  : networks_bf16(files_);
    }
    std::vector<std::int32_t> ids() const {
        std::vector<std::int32_t> v(2 * 77);
        std::memcpy(v.data(), expected_.at("clip.ids").data, v.size() * sizeof v[0]);
        return v;
    }
    inlay::model::Schedule schedule(int steps) const {
        using namespace inlay;
        const auto kind = model::SchedulerKind::ddim;
        return model::make_schedule(kind, io::scheduler_config(files_.scheduler_config, kind), steps);
    }
    void row(const std::string& name, const std::vector<float>& v, const std::string& more = "",
             const std::string& of = "") {
        const double error = relative_l2(v, values(expected_, name + of));
        const double bound = dtype_ == "fp32" ? 1e-4 : 1.25 * errors_.at(name).at(dtype_).get<double>();
        const bool ok = error <= bound;  // false for NaN
        passed_ = passed_ && ok;
        std::printf("%-28s %10.3g %10.3g  %s  %s\n", name.c_str(), error, bound, ok ? "ok" : "FAILED", more.c_str());
        std::fflush(stdout);
    }
    void check(const std::string& what, bool ok) {
        passed_ = passed_ && ok;
        std::printf("%s: %s\n", ok ? "ok" : "FAILED", what.c_str());
        std::fflush(stdout);
    }

    inlay::io::Checkpoint files_;
    inlay::io::Safetensors expected_;
    std::string dtype_;
    std::unique_ptr<Networks> networks_;
    inlay::io::Json errors_;
    bool passed_ = true;
};

}  // namespace

int main(int argc, char** argv) {
    const std::string dtype = argc > 3 ? argv[3] : "fp32";
    if (argc < 3 || argc > 5 || (dtype != "fp32" && dtype != "fp16" && dtype != "bf16")) {
        std::fprintf(stderr, "usage: sd15_parity MODEL expected.safetensors [fp32|fp16|bf16 [REPLAYS]]\n");
        return 2;
    }
    try {
        Parity parity(argv[1], argv[2], dtype);
        parity.components();
        parity.run(argc > 4 ? std::atoi(argv[4]) : 0);
        return parity.passed() ? 0 : 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
