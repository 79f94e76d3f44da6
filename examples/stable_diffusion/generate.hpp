// SPDX-License-Identifier: Apache-2.0
/// Prompt to PNG in one storage type on one target. Each pair is one translation unit.
#pragma once

#include "executors.hpp"
#include "image_processor.hpp"
#include "overflow.hpp"
#include "parameters.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "requests.hpp"

#include <inlay/io/weights/checkpoint.hpp>
#include <inlay/io/tokenizer/clip.hpp>
#include <inlay/io/config/model.hpp>
#include <inlay/io/png.hpp>
#include <inlay/io/config/scheduler.hpp>
#include <inlay/model/decode.hpp>
#include <inlay/model/pipeline.hpp>
#include <inlay/model/scheduler.hpp>
#include <inlay/report/explain_program.hpp>
#include <inlay/report/seed_counts.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

inline inlay::io::Checkpoint opened(const Options& options) {
    auto checkpoint = inlay::io::open_checkpoint(
        options.model, {.configs = {}, .vae = options.vae, .scheduler_config = options.scheduler_config});
    if (!options.prediction.empty()) checkpoint.scheduler_config["prediction_type"] = options.prediction;
    return checkpoint;
}

/// Pictures of one model on one target, by pipelines that are made as they are needed: one for each number of images.
template <inlay::Storage T, class Target>
class Generator {
    using Networks = inlay::model::Networks<T, Target>;
    using Pipeline = inlay::model::Pipeline<T, Target>;
    using Half = inlay::model::GuidanceHalf<Target>;

public:
    /// `connect()`: the exchange of a half of guidance with its other half.
    Generator(Target& target, const Options& options, std::function<decltype(Half::exchange)()> connect = {})
        : options_(options), target_(target), connect_(std::move(connect)) {}

    /// Writes the pictures of this process; returns the path of the first of all. `memory`: says what the target knows
    /// of its memory.
    template <class Memory>
    std::filesystem::path generate(const Memory& memory) {
        const auto start = std::chrono::steady_clock::now();
        load();
        const int most = options_.requests.empty() ? std::min(options_.at_once, options_.images) : options_.batch;
        options_.ranks->together([&] { pipeline(most); });
        const std::chrono::duration<double> loaded = std::chrono::steady_clock::now() - start;
        if (!options_.quiet)
            std::cerr << "memory: weights " << (networks_->bytes() >> 20) << " MB, everything else "
                      << (pipeline(most).bytes() >> 20) << " MB" << memory() << "\n";
        if (!options_.requests.empty()) return serve();
        draw_batch(loaded.count());
        if (options_.replays > 0) {
            Pipeline& p = pipeline(most);
            const auto t = p.measure(options_.replays);
            std::cerr << "alone, median of " << options_.replays << ": prompt " << t.prompt * 1e3 << " ms, step "
                      << t.step * 1e3 << " ms (" << p.step_launches() << " kernels), decode " << t.decode * 1e3
                      << " ms\n";
        }
        return path(0);
    }

    /// Every kernel of a step, from shapes alone: no weights are read.
    std::string explain() {
        using namespace inlay;
        read_configs();
        const Networks networks(target_, configs_, static_cast<const io::Weights*>(nullptr),
                                static_cast<const io::Weights*>(nullptr), static_cast<const io::Weights*>(nullptr));
        run_.images = options_.batch;
        const Pipeline pipeline(target_, networks, run_);
        std::ostringstream s;
        s << explain_program(pipeline.step_program().launches(), target_named(options_.target));
        s << "\nBeside the step: " << pipeline.sampler_program().size() << " launch for guidance and sampler, "
          << pipeline.schedule_program().size() << " once per schedule, " << pipeline.prompt_program().size()
          << " once per prompt, " << pipeline.decode_program().size() << " to decode.\n\n";
        const SeedCounts counts = seed_counts(configs_.unet.topology());
        s << "Launches of one UNet step: one kernel per operation " << counts.naive << ", with only the common fusions "
          << counts.fused << ", here " << pipeline.step_program().size() << ".\n";
        return s.str();
    }

private:
    using Drawings = std::vector<Drawing>;
    /// Called after each step with the number done and the total; false ends the run.
    using Progress = typename Pipeline::Progress;

    void read_configs() {
        using namespace inlay;
        checkpoint_ = opened(options_);
        configs_ = io::model_configs(checkpoint_.text_encoder_config, checkpoint_.unet_config, checkpoint_.vae_config);
        const auto kind = model::scheduler_kind(options_.scheduler);
        run_.width = options_.width;
        run_.height = options_.height;
        run_.guidance = options_.guidance;
        run_.from_image = !options_.init.empty();
        scheduler_ = io::scheduler_config(checkpoint_.scheduler_config, kind);
        run_.schedule =
            model::make_schedule(kind, scheduler_, options_.steps, run_.from_image ? options_.strength : 1);
    }
    void load() {
        using namespace inlay;
        options_.ranks->together([&] {
            read_configs();
            require(!checkpoint_.tokenizer.empty() || !options_.tokenizer.empty(), "model '",
                    checkpoint_.path.string(),
                    "' has no tokenizer; name a folder with vocab.json and merges.txt by --tokenizer");
            tokenizer_.emplace(options_.tokenizer.empty() ? checkpoint_.tokenizer : options_.tokenizer);
            require(tokenizer_->vocabulary_size() <= configs_.clip.vocabulary, "the tokenizer has ",
                    tokenizer_->vocabulary_size(), " tokens, the text encoder embeds ", configs_.clip.vocabulary);
            if (options_.requests.empty()) tokens(Drawings{{options_.prompt, options_.negative, 0, {}}});
            from_ = preprocess(options_);
            networks_.emplace(target_, configs_, &checkpoint_.text_encoder, &checkpoint_.unet, &checkpoint_.vae,
                              run_.from_image);
        });
        if (connect_) options_.ranks->together([&] { half_ = Half{conditional(), connect_()}; });
    }
    /// Rank 0 of a pair predicts for the prompt, and draws what is written.
    bool conditional() const { return options_.ranks->rank() % 2 == 0; }

    Pipeline& pipeline(int images) {
        auto& p = pipelines_[images];
        if (!p) {
            run_.images = images;
            p = std::make_unique<Pipeline>(target_, *networks_, run_, half_);
        }
        return *p;
    }

    void draw_batch(double load_seconds) {
        Drawings drawings;
        for (int i = options_.first; i < options_.first + options_.images; ++i)
            drawings.push_back({options_.prompt, options_.negative, *options_.seed + static_cast<std::uint64_t>(i),
                                path(i)});
        const int groups = (options_.images + options_.at_once - 1) / options_.at_once;
        std::vector<std::pair<Drawings, Drawn>> drawn;
        inlay::model::Timings t;
        ProgressBar bar(options_.quiet);
        for (int g = 0; g < groups; ++g) {
            const auto first = drawings.begin() + g * options_.at_once;
            const Drawings group(first, g + 1 < groups ? first + options_.at_once : drawings.end());
            Drawn d = draw(group, [&](int done, int total) {
                bar.show(g * total + done, groups * total);
                return !interrupted;
            });
            drawn.emplace_back(group, std::move(d));
            const auto& spent = pipeline(static_cast<int>(group.size())).timings();
            t.prompt += spent.prompt;
            t.denoise += spent.denoise;
            t.decode += spent.decode;
        }
        bar.finish();
        options_.ranks->together([&] {
            for (auto& [group, d] : drawn) d.pictures = without_overflow(d, group);
            if (half_ && !conditional()) return;
            for (const auto& [group, d] : drawn) write(group, d.pictures);
        });
        report(load_seconds, t, groups * static_cast<int>(run_.schedule.steps.size()));
    }
    void report(double load, const inlay::model::Timings& t, int steps) {
        double slowest = 0;
        for (const std::string& s : options_.ranks->gather(std::to_string(t.prompt + t.denoise + t.decode)))
            slowest = (std::max)(slowest, std::stod(s));
        if (options_.quiet) return;
        std::cerr << "time: load " << load << " s, prompt " << t.prompt << " s, " << steps << " steps " << t.denoise
                  << " s (" << t.denoise / steps << " s each), decode " << t.decode << " s\n";
        if (options_.ranks->size() > 1)
            std::cerr << "ranks: " << options_.batch << " images on " << options_.ranks->size() << " ranks in "
                      << slowest << " s without loading, the slowest's (" << options_.batch / slowest
                      << " images a second)\n";
    }

    /// Answers requests until there are no more.
    std::filesystem::path serve() {
        Requests requests(options_);
        while (const auto request = requests.next()) {
            try {
                const auto start = std::chrono::steady_clock::now();
                const Drawn d = draw(request->drawings,
                                     [&](int done, int total) { return requests.progress(done, total); });
                write(request->drawings, without_overflow(d, request->drawings));
                const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
                requests.done(spent.count());
            } catch (const Interrupted&) {
                if (interrupted) throw;
                requests.cancelled();
            } catch (const std::exception& e) {
                requests.failed(program::sentence_of(e));
            }
        }
        return {};
    }

    Drawn draw(const Drawings& drawings, const Progress& progress) {
        const std::vector<std::int32_t> ids = tokens(drawings);
        std::vector<std::uint64_t> seeds;
        std::vector<float> from;
        for (const Drawing& d : drawings) {
            seeds.push_back(d.seed);
            from.insert(from.end(), from_.begin(), from_.end());
        }
        Pipeline& p = pipeline(static_cast<int>(drawings.size()));
        try {
            const auto pictures = p.run(ids, seeds, progress, from);
            const auto latents = p.latents();
            return {{pictures.data, pictures.data + pictures.size()}, {latents.data, latents.data + latents.size()}};
        } catch (const inlay::model::Cancelled& e) {
            throw Interrupted(e.what());
        }
    }

    /// The negative prompts first, where both are read here.
    std::vector<std::int32_t> tokens(const Drawings& drawings) {
        const auto length = static_cast<std::size_t>(configs_.clip.positions);
        std::vector<std::int32_t> all;
        const auto encode = [&](std::string Drawing::*text, const char* what) {
            for (const Drawing& d : drawings) {
                const auto e = tokenizer_->encode(d.*text, length);
                if (!e.dropped.empty() && std::exchange(warned_, d.*text) != d.*text)
                    std::cerr << "warning: the " << what << " is longer than " << length
                              << " tokens; left out: " << e.dropped << "\n";
                all.insert(all.end(), e.ids.begin(), e.ids.end());
            }
        };
        if (run_.guided() && !(half_ && conditional())) encode(&Drawing::negative, "negative prompt");
        if (!half_ || conditional()) encode(&Drawing::prompt, "prompt");
        return all;
    }

    std::filesystem::path path(int i) const {
        if (options_.batch == 1) return options_.out;
        auto p = options_.out;
        return p.replace_filename(p.stem().string() + "-" + std::to_string(i) + p.extension().string());
    }
    std::vector<float> without_overflow(const Drawn& drawn, const Drawings& drawings) const {
        return ::without_overflow(options_, drawn, static_cast<int>(drawings.size()), run_.schedule.steps.size(),
                                  sizeof(T) < sizeof(float));
    }
    void write(const Drawings& drawings, const std::vector<float>& pictures) const {
        const float* next = pictures.data();
        for (const Drawing& d : drawings) {
            const inlay::io::Image png = postprocess(next, run_.width, run_.height);
            next += png.rgb.size();
            inlay::io::write_png(d.out, png, {{"parameters", parameters::text(options_, scheduler_, d)}});
        }
    }

    const Options& options_;
    Target& target_;
    std::function<decltype(Half::exchange)()> connect_;
    inlay::io::Checkpoint checkpoint_;
    inlay::model::Configs configs_;
    inlay::model::SchedulerConfig scheduler_;
    inlay::model::RunOptions run_;  // of the pipeline made last
    std::optional<inlay::io::ClipTokenizer> tokenizer_;
    std::optional<Networks> networks_;
    std::optional<Half> half_;
    std::map<int, std::unique_ptr<Pipeline>> pipelines_;
    std::vector<float> from_;
    std::string warned_;  // of this text
};

/// Pictures by the decoder alone, from the latents of a run in a narrower type.
template <inlay::Storage T, class Target>
std::vector<float> decode(Target& target, const Options& options, int images, const std::vector<float>& latents) {
    using namespace inlay;
    const io::Checkpoint checkpoint = opened(options);
    const model::VaeConfig config = io::vae_config(checkpoint.vae_config);
    const auto vae = model::Loaded<model::VaeDecoder<T>, Target>::from(&checkpoint.vae, target, config, "");
    const Extents<4> e{{images, options.height / config.scale(), options.width / config.scale(),
                        config.latent_channels}};
    return model::decode(target, vae.network, std::span<const float>(latents), e);
}
