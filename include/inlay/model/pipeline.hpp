// SPDX-License-Identifier: Apache-2.0
/// Prompt to image. Everything is prepared at construction, in one arena of exactly the size it needs: a program once
/// per schedule (time projections), which runs then, one once per prompt (CLIP, keys and values of the text), the step,
/// and the VAE. A run allocates nothing on the target. Programs reuse each other's memory, so they are built in the
/// order in which they run.
///
/// On a GPU prompt, step and decoder are one graph each, and the host only enqueues: before each step one copy, from a
/// table in the device's memory, of the numbers that differ from step to step, and for ancestral samplers an upload of
/// fresh noise, drawn while the step before runs. Nothing waits for the device before the picture is read back, except
/// where progress is reported.
#pragma once

#include <inlay/exec/recording.hpp>
#include <inlay/model/networks.hpp>
#include <inlay/model/random.hpp>
#include <inlay/model/sampler.hpp>
#include <inlay/model/scheduler/schedule.hpp>

#include <algorithm>
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

/// The half of guidance that a pipeline predicts, while another one, of the same options and seeds on a target of its
/// own, predicts the other: in each step they exchange predictions and make the same update. Both end with the same
/// latents.
template <class Target>
struct GuidanceHalf {
    bool conditional = false;  ///< predicts for the prompt, else for the negative prompt
    /// Sends `bytes` at `mine` to the peer and receives as many of its at `others`, in the order of the target's work.
    /// On a GPU it is captured in the step's graph, after it was called once.
    std::function<void(Target&, const void* mine, void* others, std::size_t bytes)> exchange;
};

/// Thrown by a run whose progress callback returned false.
struct Cancelled : Error {
    using Error::Error;
};

/// Seconds of each stage of a run.
struct Timings {
    double prompt = 0, denoise = 0, decode = 0;
};

/// Seconds of each stage alone.
struct StageTimings {
    double prompt = 0, step = 0, decode = 0;
};

template <Storage T, class Target>
class Pipeline {
public:
    /// Called after each step with the number done and the total; false cancels. A target that works while the host
    /// goes on has begun the next step by then.
    using Progress = std::function<bool(int, int)>;

    Pipeline(Target& target, const Networks<T, Target>& networks, RunOptions options,
             std::optional<GuidanceHalf<Target>> half = {})
        : target_(&target), networks_(&networks), options_(std::move(options)), begun_(target), prompted_(target),
          denoised_(target), decoded_(target), stepped_{Mark(target), Mark(target)} {
        require(!half || options_.guided(), "a half of guidance has guidance ", options_.guidance,
                ", expected more than 1");
        if (half) exchange_.half = std::move(*half);
        const index_t grid = 64;
        require(options_.width > 0 && options_.width % grid == 0, "width is ", options_.width,
                ", expected a multiple of ", grid);
        require(options_.height > 0 && options_.height % grid == 0, "height is ", options_.height,
                ", expected a multiple of ", grid);
        require(options_.images >= 1, "images is ", options_.images, ", expected at least 1");
        require(!options_.schedule.steps.empty(), "steps is 0, expected at least 1");
        require(!options_.from_image || networks.encoder,
                "image to image needs networks loaded with the VAE's encoder");
        build(measure_);
        if (networks.bytes() == 0) return;  // shapes alone: to be explained, not run
        memory_ = target.allocate(measure_.measured());
        arena_.emplace(memory_.data(), memory_.size());
        build(*arena_);
        upload_schedule();
        for (const auto* p : {&schedule_, &prompt_, &encode_, &step_, &sample_[0], &sample_[1], &decode_})
            target.load(*p);
        schedule_.run(target);
        prompt_run_ = Recording<Target>(target, prompt_);
        for (int odd = 0; odd < (history_ ? 2 : 1); ++odd)
            step_run_[odd] = is_half() ? Recording<Target>(target, step_, exchange_, sample_[odd])
                                       : Recording<Target>(target, step_, sample_[odd]);
        decode_run_ = Recording<Target>(target, decode_);
    }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    /// Bytes of the arena.
    std::size_t bytes() const { return memory_.size(); }
    const RunOptions& options() const { return options_; }
    const Timings& timings() const { return timings_; }
    /// Rows of token ids a run takes: the negative prompt of every image first where there is guidance. Of a half of
    /// guidance, the prompts of this half alone.
    index_t text_rows() const { return options_.images * (options_.guided() && !is_half() ? 2 : 1); }

    /// ids: [text_rows(), the text encoder's positions]. One seed per image. `from`: image to image begins at these,
    /// [images, height, width, 3] in [−1, 1]. The result, of the same extents, nominally in [−1, 1] and unclipped, is
    /// valid until the next run.
    Tensor<const float, 4> run(std::span<const std::int32_t> ids, std::span<const std::uint64_t> seeds,
                               const Progress& progress = {}, std::span<const float> from = {}) {
        require(ids.size() == static_cast<std::size_t>(ids_.size()), "the pipeline takes ", ids_.size(),
                " token ids, not ", ids.size());
        require(seeds.size() == static_cast<std::size_t>(options_.images), "the pipeline takes ", options_.images,
                " seeds, not ", seeds.size());
        require(from.size() == (options_.from_image ? static_cast<std::size_t>(image_.size()) : 0),
                "the pipeline takes ", options_.from_image ? image_.size() : 0, " values of an image to begin at, not ",
                from.size());
        require(memory_.size() > 0, "a pipeline of networks without weights cannot run");
        target_->upload(ids_.data, ids.data(), ids.size_bytes());
        begun_.set();
        prompt_run_.run();
        prompted_.set();

        std::vector<TorchGenerator> generators;
        for (const std::uint64_t seed : seeds) generators.emplace_back(seed);
        if (options_.from_image) {
            target_->upload(image_.data, from.data(), from.size_bytes());
            draw(generators, fresh_, 1.0f);
            draw(generators, latents_, 1.0f);
            encode_.run(*target_);
        } else {
            draw(generators, latents_, options_.schedule.init_noise_sigma);
        }
        if (history_) target_->zero(previous_[0].data, bytes_of(previous_[0]));
        denoise(generators, progress);
        denoised_.set();
        decode_run_.run();
        decoded_.set();
        const auto image = read(image_, picture_);
        read(latents_, final_);
        timings_ = {prompted_.seconds_since(begun_), denoised_.seconds_since(prompted_),
                    decoded_.seconds_since(denoised_)};
        return image;
    }

    /// The final latents of the last run, [images, h, w, 4].
    Tensor<const float, 4> latents() const { return {final_.data(), latents_.extents}; }

    /// Each stage by itself, the median of `replays` runs. What it leaves in the latents means nothing.
    StageTimings measure(int replays) {
        require(replays > 0, "a stage is measured ", replays, " times, expected at least once");
        const auto median = [&](const Recording<Target>& stage) {
            std::vector<double> seconds;
            for (int i = 0; i < replays; ++i) {
                begun_.set();
                stage.run();
                decoded_.set();
                decoded_.wait();
                seconds.push_back(decoded_.seconds_since(begun_));
            }
            std::ranges::nth_element(seconds, seconds.begin() + replays / 2);
            return seconds[static_cast<std::size_t>(replays / 2)];
        };
        return {median(prompt_run_), median(step_run_[0]), median(decode_run_)};
    }
    /// Kernels launched by one step, guidance and sampler included: on a GPU, the kernel nodes of its graph.
    std::size_t step_launches() const { return step_run_[0].launches(); }

    const Program<Target>& prompt_program() const { return prompt_; }
    const Program<Target>& schedule_program() const { return schedule_; }
    const Program<Target>& step_program() const { return step_; }
    const Program<Target>& sampler_program() const { return sample_[0]; }
    const Program<Target>& decode_program() const { return decode_; }

private:
    using Mark = typename Target::Mark;

    /// Part of a step between its prediction and its update where the other half is elsewhere; no kernel of ours.
    struct Exchange {
        GuidanceHalf<Target> half;
        const void* mine = nullptr;
        void* others = nullptr;
        std::size_t bytes = 0;
        void run(Target& target) const { half.exchange(target, mine, others, bytes); }
        std::size_t size() const { return 0; }
    };
    bool is_half() const { return static_cast<bool>(exchange_.half.exchange); }

    void denoise(std::span<TorchGenerator> generators, const Progress& progress) {
        const int total = static_cast<int>(options_.schedule.steps.size());
        const auto report = [&](int i) {
            stepped_[i % 2].wait();
            if (progress(i + 1, total)) return;
            target_->synchronize();
            throw Cancelled("inlay: cancelled after step " + std::to_string(i + 1));
        };
        constexpr int ahead = Mark::ahead ? 1 : 0;
        for (int i = 0; i < total; ++i) {
            target_->copy(row_, rows_ + i, sizeof(StepRow));
            if (options_.schedule.steps[static_cast<std::size_t>(i)].c_noise != 0) draw(generators, fresh_, 1.0f);
            step_run_[history_ ? i % 2 : 0].run();
            stepped_[i % 2].set();
            if (progress && i >= ahead) report(i - ahead);
        }
        if (progress && ahead == 1) report(total - 1);
    }

    void build(Arena& arena) {
        const auto& unet = networks_->unet.network;
        const auto& vae = networks_->vae.network;
        const auto& clip = networks_->clip.network;
        for (auto* p : {&prompt_, &schedule_, &encode_, &step_, &sample_[0], &sample_[1], &decode_})
            *p = Program<Target>();
        persistent_ = Persistent();
        const index_t n = options_.images, rows = text_rows(), scale = vae.config().scale();
        const index_t h = options_.height / scale, w = options_.width / scale, z = unet.config().in_channels;
        const index_t steps = static_cast<index_t>(options_.schedule.steps.size());
        history_ = options_.schedule.uses_history();

        const auto keep = [&]<class V, int R>(Tensor<V, R>& t, const Extents<R>& e) {
            t = Tensor<V, R>(static_cast<V*>(arena.take(dense_bytes<V>(e))), e);
        };
        keep(ids_, Extents<2>{{rows, clip.config().positions}});
        row_ = static_cast<StepRow*>(arena.take(sizeof(StepRow)));
        rows_ = static_cast<StepRow*>(arena.take(sizeof(StepRow) * options_.schedule.steps.size()));
        keep(latents_, Extents<4>{{n, h, w, z}});
        keep(image_, Extents<4>{{n, options_.height, options_.width, vae.config().out_channels}});
        previous_[0] = previous_[1] = fresh_ = latents_;
        if (history_)
            for (auto& p : previous_) keep(p, latents_.extents);
        if (options_.schedule.uses_noise() || options_.from_image) keep(fresh_, latents_.extents);

        keep(timesteps_, Extents<2>{{steps, 1}});
        persistent_.time = unet.build_time(nn::Build<T, Target>{&schedule_, &arena, ""}, timesteps_);

        const nn::Build<T, Target> prompt{&prompt_, &arena, ""};
        {
            auto text = prompt.temporary(rows, clip.config().positions, clip.config().hidden);
            clip.build(prompt / "text_model", ids_, *text);
            persistent_.text = unet.build_text(prompt, *text, options_.guided() && !is_half());
        }
        if (options_.from_image) {
            const nn::Build<T, Target> encode{&encode_, &arena, ""};
            Temporary<float, 4> moments(arena, Extents<4>{{n, h, w, 2 * z}});
            networks_->encoder->network.build(encode, image_, *moments);
            encode.template add<noised_image>("encoder.latents", latents_, *moments, fresh_, latents_, z,
                                              vae.config().scaling_factor, options_.schedule.image_scale,
                                              options_.schedule.noise_scale);
        }
        auto output = prompt.temporary(n * (options_.guided() ? 2 : 1), h, w, unet.config().out_channels);
        unet.build(nn::Build<T, Target>{&step_, &arena, ""}, latents_, &row_->input_scale, persistent_.time,
                   Tensor<const std::int32_t, 1>(&row_->index, {{1}}), persistent_.text, predicted(*output));
        for (int odd = 0; odd < 2; ++odd)
            build_sampler(nn::Build<T, Target>{&sample_[odd], &arena, "sampler"}, odd, *output);
        vae.build(nn::Build<T, Target>{&decode_, &arena, ""}, latents_, image_);
    }

    /// Part of the network's output that is predicted here: all, or a half, of which the negative prompt's is first.
    Tensor<T, 4> predicted(const Tensor<T, 4>& output) {
        if (!is_half()) return output;
        Tensor<T, 4> first = output;
        first.extents[0] = options_.images;
        Tensor<T, 4> second = first;
        second.data += first.size();
        const bool conditional = exchange_.half.conditional;
        const Tensor<T, 4>& mine = conditional ? second : first;
        exchange_.mine = mine.data;
        exchange_.others = (conditional ? first : second).data;
        exchange_.bytes = bytes_of(mine);
        return mine;
    }

    void build_sampler(const nn::Build<T, Target>& b, int odd, const Tensor<T, 4>& output) {
        const float* s = row_->update;
        const auto& previous = previous_[odd];
        const auto& next = previous_[1 - odd];
        const index_t n = options_.images;
        const auto add = [&]<class Step, class Keep>() {
            if (history_)
                b.template add<Keep>("denoised", next, output, latents_, n, options_.guidance, s, s + 1, s + 2, s + 3,
                                     s + 4, s + 5, s + 6, s + 7);
            b.template add<Step>("step", latents_, output, latents_, previous, fresh_, n, options_.guidance, s, s + 1,
                                 s + 2, s + 3, s + 4, s + 5, s + 6, s + 7);
        };
        if (options_.guided()) add.template operator()<sampler_step_guided, sampler_denoised_guided>();
        else add.template operator()<sampler_step, sampler_denoised>();
    }

    void upload_schedule() {
        std::vector<StepRow> rows;
        std::vector<float> timesteps;
        for (const StepCoefficients& k : options_.schedule.steps) {
            rows.emplace_back(k, static_cast<int>(rows.size()));
            timesteps.push_back(k.timestep);
        }
        target_->upload(rows_, rows.data(), sizeof(StepRow) * rows.size());
        target_->upload(timesteps_.data, timesteps.data(), bytes_of(timesteps_));
    }

    void draw(std::span<TorchGenerator> generators, const Tensor<float, 4>& to, float scale) {
        const auto& e = to.extents;
        target_->upload(to.data, noise_.draw(generators, e[3], e[1] * e[2], dtype_of<T>, scale).data(), bytes_of(to));
    }

    template <class V, int R>
    static std::size_t bytes_of(const Tensor<V, R>& t) {
        return sizeof(V) * static_cast<std::size_t>(t.size());
    }
    Tensor<const float, 4> read(const Tensor<float, 4>& from, std::vector<float>& to) {
        to.resize(static_cast<std::size_t>(from.size()));
        target_->download(to.data(), from.data, bytes_of(from));
        return {to.data(), from.extents};
    }

    /// Outlive their building: read by every step.
    struct Persistent {
        std::vector<Temporary<T, 2>> time;
        std::vector<typename nn::SpatialTransformer<T>::Text> text;
    };

    Target* target_;
    const Networks<T, Target>* networks_;
    RunOptions options_;
    typename Target::Memory memory_;
    Arena measure_;
    std::optional<Arena> arena_;
    Persistent persistent_;
    Exchange exchange_;
    Program<Target> prompt_, schedule_, encode_, step_, sample_[2], decode_;
    Recording<Target> prompt_run_, step_run_[2], decode_run_;
    Mark begun_, prompted_, denoised_, decoded_, stepped_[2];
    // In the target's memory. `row_`: of `rows_`, the step that is run.
    Tensor<std::int32_t, 2> ids_;
    Tensor<float, 2> timesteps_;
    Tensor<float, 4> latents_, image_, previous_[2], fresh_;
    StepRow *row_ = nullptr, *rows_ = nullptr;
    // In the caller's.
    LatentNoise noise_;
    std::vector<float> picture_, final_;
    bool history_ = false;
    Timings timings_;
};

}  // namespace inlay::inline INLAY_ABI::model
