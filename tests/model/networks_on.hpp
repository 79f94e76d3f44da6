// SPDX-License-Identifier: Apache-2.0
/// networks.hpp in storage type T on a target: included by one translation unit for each pair.
#pragma once

#include "networks.hpp"

#include <inlay/io/weights/checkpoint.hpp>
#include <inlay/io/config/model.hpp>
#include <inlay/model/decode.hpp>
#include <inlay/model/pipeline.hpp>

#include <optional>

namespace inlay_test {

/// NHWC → NCHW.
inline Image to_image(const float* v, const inlay::Extents<4>& e) {
    Image i{e[0], e[3], e[1], e[2], {}};
    for (index_t b = 0; b < i.n; ++b)
        for (index_t c = 0; c < i.c; ++c)
            for (index_t p = 0; p < i.h * i.w; ++p) i.v.push_back(v[(b * i.h * i.w + p) * i.c + c]);
    return i;
}
inline Image to_image(const inlay::Tensor<const float, 4>& t) { return to_image(t.data, t.extents); }
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

template <inlay::Storage T, class Target>
class NetworksOn final : public Networks {
    static constexpr bool on_gpu = requires(Target& t) { memory_use(t.device()); };
    using Program = inlay::Program<Target>;
    using Build = inlay::nn::Build<T, Target>;

public:
    NetworksOn(const inlay::io::Checkpoint& files, int which)
        : target_(on_gpu ? 0 : which),
          networks_(target_, inlay::io::model_configs(files.text_encoder_config, files.unet_config, files.vae_config),
                    &files.text_encoder, &files.unet, &files.vae, true) {}

    std::size_t bytes() const override { return networks_.bytes(); }
    std::size_t in_use() override {
        if constexpr (requires(Target& t) { memory_use(t.device()); }) return memory_use(target_.device()).used;
        else return 0;
    }

    std::vector<float> clip(const std::vector<std::int32_t>& ids) override {
        const auto& network = networks_.clip.network;
        const index_t s = network.config().positions, rows = static_cast<index_t>(ids.size()) / s;
        std::vector<float> result;
        in_arena([&](Place& at) {
            Program p;
            const auto given = at.given(ids, rows, s);
            const auto y = at.template room<T>(rows, s, network.config().hidden);
            network.build(Build{&p, &at.arena, "clip"}, given, y);
            if (!at.real) return;
            p.run(target_);
            result = at.read(y);
        });
        return result;
    }

    Noise unet(const Image& sample, double timestep, const std::vector<float>& text) override {
        const auto& network = networks_.unet.network;
        const std::vector<float> x = channels_last(sample), t = {static_cast<float>(timestep)}, one = {1};
        const std::vector<std::int32_t> row = {0};
        std::vector<T> context;
        for (const float v : text) context.push_back(inlay::to_storage<T>(v));
        const index_t width = network.config().context, s = networks_.clip.network.config().positions;
        const index_t items = static_cast<index_t>(text.size()) / (s * width);
        Noise noise;
        in_arena([&](Place& at) {
            // All that is given comes first: what building frees again is written only when the programs run.
            const auto given_x = at.given(x, sample.n, sample.h, sample.w, sample.c);
            const auto given_text = at.given(context, items, s, width);
            const auto given_t = at.given(t, 1, 1), scale = at.given(one, 1, 1);
            const auto given_row = at.given(row, 1);
            const auto y = at.template room<T>(items, sample.h, sample.w, sample.c);
            Program schedule, prompt, step;
            const auto build = [&](Program& p) { return Build{&p, &at.arena, ""}; };
            const auto time = network.build_time(build(schedule), given_t);
            const auto keys = network.build_text(build(prompt), given_text, items == 2 * sample.n);
            network.build(build(step), given_x, scale.data, time, given_row, keys, y);
            if (!at.real) return;
            schedule.run(target_);
            prompt.run(target_);
            typename Target::Mark start(target_), end(target_);
            start.set();
            step.run(target_);
            end.set();
            noise = {to_image(at.read(y).data(), y.extents), schedule.size(), prompt.size(), step.size(),
                     end.seconds_since(start)};
        });
        return noise;
    }

    Image vae(const Image& latents) override {
        const auto& network = networks_.vae.network;
        const std::vector<float> z = channels_last(latents);
        const index_t scale = network.config().scale();
        const auto picture = inlay::model::decode(target_, network, std::span<const float>(z),
                                                  {{latents.n, latents.h, latents.w, latents.c}});
        return to_image(picture.data(), {{latents.n, latents.h * scale, latents.w * scale, 3}});
    }

    Image encode(const Image& picture) override {
        const auto& network = networks_.encoder->network;
        const std::vector<float> x = channels_last(picture);
        const index_t scale = network.config().scale(), z = network.config().latent_channels;
        Image result;
        in_arena([&](Place& at) {
            Program p;
            const auto given = at.given(x, picture.n, picture.h, picture.w, picture.c);
            const auto y = at.template room<float>(picture.n, picture.h / scale, picture.w / scale, 2 * z);
            network.build(Build{&p, &at.arena, ""}, given, y);
            if (!at.real) return;
            p.run(target_);
            result = to_image(at.read(y).data(), y.extents);
        });
        return result;
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
        std::optional<inlay::model::GuidanceHalf<Target>> half;
        if (o.exchange)
            half = {o.conditional, [&](Target&, const void* mine, void* others, std::size_t bytes) {
                        o.exchange(mine, others, bytes);
                    }};
        inlay::model::Pipeline<T, Target> pipeline(target_, networks_, r, half);
        Picture p;
        p.arena = pipeline.bytes();
        p.step_launches = pipeline.step_launches();
        p.explained_launches = pipeline.step_program().size() + pipeline.sampler_program().size();
        for (int i = 0; i < o.repeats; ++i) {
            p.watched.clear();
            p.watched.reserve(o.schedule.steps.size());
            typename inlay::model::Pipeline<T, Target>::Progress progress;
            if (o.watch)
                progress = [&](int, int) {
                    p.watched.push_back(o.watch());
                    return true;
                };
            const auto image = pipeline.run(o.ids, o.seeds, progress, from);
            p.image = to_image(image);
            p.latents = to_image(pipeline.latents());
            p.timings = pipeline.timings();
        }
        if (o.replays > 0) p.alone = pipeline.measure(o.replays);
        return p;
    }

private:
    /// Memory of the target: counted first, then real.
    struct Place {
        Target& target;
        inlay::Arena& arena;
        bool real;

        template <class V, class... I>
        auto room(I... extents) {
            const inlay::Extents<sizeof...(I)> e{{static_cast<index_t>(extents)...}};
            const auto bytes = sizeof(V) * static_cast<std::size_t>(inlay::count(e));
            return inlay::Tensor<V, sizeof...(I)>(static_cast<V*>(arena.take(bytes)), e);
        }
        /// The caller's data in memory that the target reads.
        template <class V, class... I>
        auto given(const std::vector<V>& v, I... extents) {
            const auto t = room<V>(extents...);
            if (real) target.upload(t.data, v.data(), sizeof(V) * v.size());
            return t;
        }
        template <class V, int R>
        std::vector<float> read(const inlay::Tensor<V, R>& t) {
            std::vector<V> stored(static_cast<std::size_t>(t.size()));
            target.download(stored.data(), t.data, sizeof(V) * stored.size());
            std::vector<float> f;
            for (const V& x : stored) f.push_back(inlay::from_storage<float>(x));
            return f;
        }
    };
    template <class F>
    void in_arena(F&& f) {
        inlay::Arena measure;
        Place counted{target_, measure, false};
        f(counted);
        const auto memory = target_.allocate(measure.measured());
        inlay::Arena arena(memory.data(), memory.size());
        Place real{target_, arena, true};
        f(real);
        target_.synchronize();
    }

    Target target_;
    inlay::model::Networks<T, Target> networks_;
};

template <class Target>
std::vector<StepKernel> sd15_step_on(Target& target) {
    const inlay::io::Weights* const none = nullptr;
    const inlay::model::Networks<float, Target> networks(target, {}, none, none, none);
    inlay::model::RunOptions options;
    options.schedule.steps.resize(1);
    const inlay::model::Pipeline<float, Target> pipeline(target, networks, options);
    std::vector<StepKernel> kernels;
    for (const auto& l : pipeline.step_program().launches()) kernels.push_back({l.layer, l.frame});
    return kernels;
}

}  // namespace inlay_test
