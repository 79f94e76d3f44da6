// SPDX-License-Identifier: Apache-2.0
/// networks.hpp in storage type T: included by one translation unit for each type.
#pragma once

#include "networks.hpp"

#include <inlay/exec/host.hpp>
#include <inlay/model/pipeline.hpp>

#include <chrono>

namespace inlay_test {

/// NHWC → NCHW, whatever the storage type.
template <class T>
Image to_image(const inlay::Tensor<T, 4>& t) {
    const auto& e = t.extents;
    Image i{e[0], e[3], e[1], e[2], {}};
    for (index_t b = 0; b < e[0]; ++b)
        for (index_t c = 0; c < e[3]; ++c)
            for (index_t y = 0; y < e[1]; ++y)
                for (index_t x = 0; x < e[2]; ++x) i.v.push_back(inlay::from_storage<float>(t({{b, y, x, c}})));
    return i;
}
/// NCHW → NHWC.
inline std::vector<float> channels_last(const Image& i) {
    std::vector<float> v(i.v.size());
    std::size_t k = 0;
    for (index_t b = 0; b < i.n; ++b)
        for (index_t c = 0; c < i.c; ++c)
            for (index_t p = 0; p < i.h * i.w; ++p)
                v[static_cast<std::size_t>((b * i.h * i.w + p) * i.c + c)] = i.v[k++];
    return v;
}

template <inlay::Storage T>
class HostNetworks final : public Networks {
    using Host = inlay::Host;
    template <class V>
    using Program = inlay::Program<V>;

public:
    HostNetworks(const inlay::io::Checkpoint& files, int threads)
        : host_(threads),
          networks_(host_, inlay::io::model_configs(files.text_encoder_config, files.unet_config, files.vae_config),
                    &files.text_encoder, &files.unet, &files.vae, true) {}

    std::size_t bytes() const override { return networks_.bytes(); }

    std::vector<float> clip(const std::vector<std::int32_t>& ids) override {
        const auto& network = networks_.clip.network;
        const index_t s = network.config().positions, rows = static_cast<index_t>(ids.size()) / s;
        std::vector<T> y(ids.size() * static_cast<std::size_t>(network.config().hidden));
        in_arena([&](inlay::Arena& arena, bool run) {
            Program<Host> p;
            network.build(inlay::nn::Build<T, Host>{&p, &arena, "clip"},
                          inlay::Tensor<const std::int32_t, 2>(ids.data(), {{rows, s}}),
                          inlay::tensor(y.data(), rows, s, network.config().hidden));
            if (run) p.run(host_);
        });
        return floats(y);
    }

    Noise unet(const Image& sample, double timestep, const std::vector<float>& text) override {
        const auto& network = networks_.unet.network;
        const std::vector<float> x = channels_last(sample);
        const std::vector<T> context = stored(text);
        const index_t width = network.config().context, s = static_cast<index_t>(text.size()) / (sample.n * width);
        const float t = static_cast<float>(timestep), scale = 1;
        const std::int32_t row = 0;
        std::vector<T> y(x.size());
        Noise noise;
        in_arena([&](inlay::Arena& arena, bool run) {
            Program<Host> schedule, prompt, step;
            const auto build = [&](Program<Host>& p) { return inlay::nn::Build<T, Host>{&p, &arena, ""}; };
            const auto time = network.build_time(build(schedule), inlay::Tensor<const float, 2>(&t, {{1, 1}}));
            const auto keys = network.build_text(
                build(prompt), inlay::Tensor<T, 3>(const_cast<T*>(context.data()), {{sample.n, s, width}}));
            const auto out = inlay::tensor(y.data(), sample.n, sample.h, sample.w, sample.c);
            network.build(build(step),
                          inlay::Tensor<const float, 4>(x.data(), {{sample.n, sample.h, sample.w, sample.c}}), &scale,
                          time, inlay::Tensor<const std::int32_t, 1>(&row, {{1}}), keys, out);
            if (!run) return;
            schedule.run(host_);
            prompt.run(host_);
            const auto start = std::chrono::steady_clock::now();
            step.run(host_);
            noise = {to_image(out), schedule.size(), prompt.size(), step.size(),
                     std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
        });
        return noise;
    }

    Image vae(const Image& latents) override {
        const auto& network = networks_.vae.network;
        const std::vector<float> z = channels_last(latents);
        const index_t scale = network.config().scale();
        std::vector<float> y(static_cast<std::size_t>(latents.n * latents.h * latents.w * scale * scale * 3));
        const auto image = inlay::tensor(y.data(), latents.n, latents.h * scale, latents.w * scale, 3);
        in_arena([&](inlay::Arena& arena, bool run) {
            Program<Host> p;
            network.build(inlay::nn::Build<T, Host>{&p, &arena, ""},
                          inlay::Tensor<const float, 4>(z.data(), {{latents.n, latents.h, latents.w, latents.c}}),
                          image);
            if (run) p.run(host_);
        });
        return to_image(image);
    }

    Image encode(const Image& picture) override {
        const auto& network = networks_.encoder->network;
        const std::vector<float> x = channels_last(picture);
        const index_t scale = network.config().scale(), z = network.config().latent_channels;
        std::vector<float> y(static_cast<std::size_t>(picture.n * picture.h / scale * picture.w / scale * 2 * z));
        const auto moments = inlay::tensor(y.data(), picture.n, picture.h / scale, picture.w / scale, 2 * z);
        in_arena([&](inlay::Arena& arena, bool run) {
            Program<Host> p;
            network.build(inlay::nn::Build<T, Host>{&p, &arena, ""},
                          inlay::Tensor<const float, 4>(x.data(), {{picture.n, picture.h, picture.w, picture.c}}),
                          moments);
            if (run) p.run(host_);
        });
        return to_image(moments);
    }

    Picture picture(const PictureOptions& o) override {
        inlay::model::RunOptions r;
        r.width = o.width;
        r.height = o.height;
        r.images = static_cast<int>(o.seeds.size());
        r.guidance = o.guidance;
        r.schedule = o.schedule;
        r.from_image = !o.from.v.empty();
        const std::vector<float> from = r.from_image ? channels_last(o.from) : std::vector<float>();
        inlay::model::Pipeline<T, Host> pipeline(host_, networks_, r);
        Picture p;
        p.arena = pipeline.bytes();
        for (int i = 0; i < o.repeats; ++i) {
            p.allocations.clear();
            p.allocations.reserve(o.schedule.steps.size());
            std::size_t before = 0;
            const auto image = pipeline.run(
                o.ids, o.seeds,
                [&](int, int) {
                    if (o.allocations) {
                        p.allocations.push_back(o.allocations() - before);
                        before = o.allocations();
                    }
                    return true;
                },
                from);
            p.image = to_image(image);
            p.latents = to_image(pipeline.latents());
        }
        return p;
    }

private:
    /// Builds once to measure, once to run.
    template <class F>
    void in_arena(F&& f) {
        inlay::Arena measure;
        f(measure, false);
        inlay::HostMemory memory(measure.measured());
        inlay::Arena arena(memory.data(), memory.size());
        f(arena, true);
    }
    static std::vector<float> floats(const std::vector<T>& v) {
        std::vector<float> f;
        for (const T& x : v) f.push_back(inlay::from_storage<float>(x));
        return f;
    }
    static std::vector<T> stored(const std::vector<float>& v) {
        std::vector<T> s;
        for (const float x : v) s.push_back(inlay::to_storage<T>(x));
        return s;
    }

    Host host_;
    inlay::model::Networks<T, Host> networks_;
};

}  // namespace inlay_test
