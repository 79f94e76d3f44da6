// SPDX-License-Identifier: Apache-2.0
/// Prompt to image. Everything is prepared at construction, in one arena of exactly the size it needs: a program once per
/// schedule (time projections), which runs then, one once per prompt (CLIP, keys and values of the text), the step, and
/// the VAE. A run allocates nothing on the target. Programs reuse each other's memory, so they are built in the order in
/// which they run.
#pragma once

#include <inlay/model/networks.hpp>
#include <inlay/model/random.hpp>
#include <inlay/model/sampler.hpp>
#include <inlay/model/scheduler/schedule.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <utility>

namespace inlay::inline INLAY_ABI::model {

struct RunOptions {
    index_t width = 512, height = 512;  ///< pixels, multiples of 64
    int images = 1;                     ///< one seed each
    double guidance = 7.5;              ///< at most 1: no guidance, and half the work
    Schedule schedule;
    bool from_image = false;            ///< image to image: the networks hold the encoder

    bool guided() const { return guidance > 1; }
};

/// Thrown by a run whose progress callback returned false.
struct Cancelled : Error {
    using Error::Error;
};

/// Seconds of each stage of a run.
struct Timings {
    double prompt = 0, denoise = 0, decode = 0;
};

template <Storage T, class Target>
class Pipeline {
public:
    /// Called after each step with the number done and the total; false cancels.
    using Progress = std::function<bool(int, int)>;

    Pipeline(Target& target, const Networks<T, Target>& networks, RunOptions options)
        : target_(&target), networks_(&networks), options_(std::move(options)) {
        const index_t grid = 64;
        require(options_.width > 0 && options_.width % grid == 0, "width is ", options_.width,
                ", expected a multiple of ", grid);
        require(options_.height > 0 && options_.height % grid == 0, "height is ", options_.height,
                ", expected a multiple of ", grid);
        require(options_.images >= 1, "images is ", options_.images, ", expected at least 1");
        require(!options_.schedule.steps.empty(), "steps is 0, expected at least 1");
        require(!options_.from_image || networks.encoder, "image to image needs networks loaded with the VAE's encoder");
        build(measure_);
        if (networks.bytes() == 0) return;  // shapes alone: to be explained, not run
        memory_ = typename Target::Memory(measure_.measured());
        arena_.emplace(memory_.data(), memory_.size());
        build(*arena_);
        schedule_.run(*target_);
    }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    /// Bytes of the arena.
    std::size_t bytes() const { return memory_.size(); }
    const RunOptions& options() const { return options_; }
    const Timings& timings() const { return timings_; }
    /// Rows of token ids a run takes: the negative prompt of every image first where there is guidance.
    index_t text_rows() const { return options_.images * (options_.guided() ? 2 : 1); }
    /// Latents of one image, in torch's order [4, h, w].
    std::size_t latent_size() const { return static_cast<std::size_t>(latents_.size() / options_.images); }

    /// ids: [text_rows(), 77]. One seed per image. `from`: image to image begins at these, [images, height, width, 3] in
    /// [−1, 1]. The result, of the same extents, nominally in [−1, 1] and unclipped, is valid until the next run.
    Tensor<const float, 4> run(std::span<const std::int32_t> ids, std::span<const std::uint64_t> seeds,
                               const Progress& progress = {}, std::span<const float> from = {}) {
        require(ids.size() == static_cast<std::size_t>(ids_.size()), "the pipeline takes ", ids_.size(),
                " token ids, not ", ids.size());
        require(seeds.size() == static_cast<std::size_t>(options_.images), "the pipeline takes ", options_.images,
                " seeds, not ", seeds.size());
        require(from.size() == (options_.from_image ? static_cast<std::size_t>(image_.size()) : 0), "the pipeline takes ",
                options_.from_image ? image_.size() : 0, " values of an image to begin at, not ", from.size());
        require(memory_.size() > 0, "a pipeline of networks without weights cannot run");
        const auto start = now();
        std::copy(ids.begin(), ids.end(), ids_.data);
        prompt_.run(*target_);
        const auto prompted = now();

        std::vector<TorchGenerator> generators;
        for (const std::uint64_t seed : seeds) generators.emplace_back(seed);
        noise_.resize(latent_size());
        if (options_.from_image) {
            std::copy(from.begin(), from.end(), image_.data);
            draw(generators, fresh_, 1.0f);
            draw(generators, latents_, 1.0f);
            encode_.run(*target_);
        } else {
            draw(generators, latents_, options_.schedule.init_noise_sigma);
        }
        if (history_) std::fill_n(previous_[0].data, previous_[0].size(), 0.0f);
        const int total = static_cast<int>(options_.schedule.steps.size());
        for (int i = 0; i < total; ++i) {
            const StepCoefficients& k = options_.schedule.steps[static_cast<std::size_t>(i)];
            scalars_.set(k);
            input_scale_ = k.input_scale;
            *index_.data = i;
            if (k.c_noise != 0) draw(generators, fresh_, 1.0f);
            step_.run(*target_);
            sample_[i % 2].run(*target_);
            if (progress && !progress(i + 1, total)) throw Cancelled("inlay: cancelled after step " + std::to_string(i + 1));
        }
        const auto denoised = now();
        decode_.run(*target_);
        timings_ = {seconds(start, prompted), seconds(prompted, denoised), seconds(denoised, now())};
        return image_;
    }

    /// The final latents of the last run, [images, h, w, 4].
    Tensor<const float, 4> latents() const { return latents_; }

    const Program<Target>& prompt_program() const { return prompt_; }
    const Program<Target>& schedule_program() const { return schedule_; }
    const Program<Target>& step_program() const { return step_; }
    const Program<Target>& sampler_program() const { return sample_[0]; }
    const Program<Target>& decode_program() const { return decode_; }

private:
    using Clock = std::chrono::steady_clock;
    static Clock::time_point now() { return Clock::now(); }
    static double seconds(Clock::time_point a, Clock::time_point b) { return std::chrono::duration<double>(b - a).count(); }

    void build(Arena& arena) {
        const auto& unet = networks_->unet.network;
        const auto& vae = networks_->vae.network;
        const auto& clip = networks_->clip.network;
        for (auto* p : {&prompt_, &schedule_, &encode_, &step_, &sample_[0], &sample_[1], &decode_}) *p = Program<Target>();
        persistent_ = Persistent();
        const index_t n = options_.images, rows = text_rows(), scale = vae.config().scale();
        const index_t h = options_.height / scale, w = options_.width / scale, z = unet.config().in_channels;
        const index_t steps = static_cast<index_t>(options_.schedule.steps.size());
        history_ = options_.schedule.uses_history();

        const auto keep = [&]<class V, int R>(Tensor<V, R>& t, const Extents<R>& e) {
            t = Tensor<V, R>(static_cast<V*>(arena.take(sizeof(V) * static_cast<std::size_t>(count(e)))), e);
        };
        keep(ids_, Extents<2>{{rows, clip.config().positions}});
        keep(index_, Extents<1>{{1}});
        keep(latents_, Extents<4>{{n, h, w, z}});
        keep(image_, Extents<4>{{n, options_.height, options_.width, vae.config().out_channels}});
        previous_[0] = previous_[1] = fresh_ = latents_;
        if (history_)
            for (auto& p : previous_) keep(p, latents_.extents);
        if (options_.schedule.uses_noise() || options_.from_image) keep(fresh_, latents_.extents);

        Tensor<float, 2> timesteps;
        keep(timesteps, Extents<2>{{steps, 1}});
        if (memory_.size() > 0)
            for (index_t i = 0; i < steps; ++i)
                timesteps.data[i] = options_.schedule.steps[static_cast<std::size_t>(i)].timestep;
        persistent_.time = unet.build_time(nn::Build<T, Target>{&schedule_, &arena, ""}, timesteps);

        const nn::Build<T, Target> prompt{&prompt_, &arena, ""};
        {
            auto text = prompt.temporary(rows, clip.config().positions, clip.config().hidden);
            clip.build(prompt / "text_model", ids_, *text);
            persistent_.text = unet.build_text(prompt, *text);
        }
        if (options_.from_image) {
            const nn::Build<T, Target> encode{&encode_, &arena, ""};
            Temporary<float, 4> moments(arena, Extents<4>{{n, h, w, 2 * z}});
            networks_->encoder->network.build(encode, image_, *moments);
            encode.template add<noised_image>("encoder.latents", latents_, *moments, fresh_, latents_, z,
                                              vae.config().scaling_factor, options_.schedule.image_scale,
                                              options_.schedule.noise_scale);
        }
        auto output = prompt.temporary(rows, h, w, unet.config().out_channels);
        unet.build(nn::Build<T, Target>{&step_, &arena, ""}, latents_, &input_scale_, persistent_.time, index_,
                   persistent_.text, *output);
        for (int odd = 0; odd < 2; ++odd) build_sampler(nn::Build<T, Target>{&sample_[odd], &arena, "sampler"}, odd, *output);
        vae.build(nn::Build<T, Target>{&decode_, &arena, ""}, latents_, image_);
    }

    void build_sampler(const nn::Build<T, Target>& b, int odd, const Tensor<T, 4>& output) {
        const auto& s = scalars_;
        const auto& previous = previous_[odd];
        const auto& next = previous_[1 - odd];
        const index_t n = options_.images;
        const auto add = [&]<class Step, class Keep>() {
            if (history_)
                b.template add<Keep>("denoised", next, output, latents_, n, options_.guidance, s[0], s[1], s[2], s[3],
                                     s[4], s[5], s[6], s[7]);
            b.template add<Step>("step", latents_, output, latents_, previous, fresh_, n, options_.guidance, s[0], s[1],
                                 s[2], s[3], s[4], s[5], s[6], s[7]);
        };
        if (options_.guided()) add.template operator()<sampler_step_guided, sampler_denoised_guided>();
        else add.template operator()<sampler_step, sampler_denoised>();
    }

    /// Noise as diffusers draws it: in T, each image from its own generator in the order [4, h, w].
    void draw(std::span<TorchGenerator> generators, const Tensor<float, 4>& to, float scale) {
        const auto& e = to.extents;
        for (index_t i = 0; i < e[0]; ++i) {
            generators[static_cast<std::size_t>(i)].randn(noise_, dtype_of<T>);
            for (index_t c = 0; c < e[3]; ++c)
                for (index_t p = 0; p < e[1] * e[2]; ++p)
                    to.data[(i * e[1] * e[2] + p) * e[3] + c] = scale * noise_[static_cast<std::size_t>(c * e[1] * e[2] + p)];
        }
    }

    /// Outlive their building: read by every step.
    struct Persistent {
        std::vector<Temporary<T, 2>> time;
        std::vector<nn::TextKeys<T>> text;
    };

    Target* target_;
    const Networks<T, Target>* networks_;
    RunOptions options_;
    typename Target::Memory memory_;
    Arena measure_;
    std::optional<Arena> arena_;
    Persistent persistent_;
    Program<Target> prompt_, schedule_, encode_, step_, sample_[2], decode_;
    Tensor<std::int32_t, 2> ids_;
    Tensor<std::int32_t, 1> index_;
    Tensor<float, 4> latents_, image_, previous_[2], fresh_;
    std::vector<float> noise_;  // of one image, as torch draws it
    SamplerScalars scalars_;
    float input_scale_ = 1;
    bool history_ = false;
    Timings timings_;
};

}  // namespace inlay::inline INLAY_ABI::model
