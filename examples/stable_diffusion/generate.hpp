// SPDX-License-Identifier: Apache-2.0
/// Prompt to PNG in one storage type on one target. Each pair is one translation unit.
#pragma once

#include "executors.hpp"
#include "parameters.hpp"
#include "progress.hpp"

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
#include <cmath>
#include <iostream>
#include <sstream>

inline inlay::io::Checkpoint opened(const Options& options) {
    auto checkpoint = inlay::io::open_checkpoint(
        options.model, {.configs = {}, .vae = options.vae, .scheduler_config = options.scheduler_config});
    if (!options.prediction.empty()) checkpoint.scheduler_config["prediction_type"] = options.prediction;
    return checkpoint;
}

template <inlay::Storage T, class Target>
class Generator {
    using Networks = inlay::model::Networks<T, Target>;
    using Pipeline = inlay::model::Pipeline<T, Target>;

public:
    Generator(Target& target, const Options& options)
        : options_(options),
          checkpoint_(opened(options)),
          target_(target),
          configs_(inlay::io::model_configs(checkpoint_.text_encoder_config, checkpoint_.unet_config,
                                            checkpoint_.vae_config)) {
        using namespace inlay;
        const auto kind = model::scheduler_kind(options.scheduler);
        run_.width = options.width;
        run_.height = options.height;
        run_.images = options.batch;
        run_.guidance = options.guidance;
        run_.from_image = !options.init.empty();
        scheduler_ = io::scheduler_config(checkpoint_.scheduler_config, kind);
        run_.schedule =
            model::make_schedule(kind, scheduler_, options.steps, run_.from_image ? options.strength : 1);
    }

    /// Writes the pictures; returns the path of the first. `memory`: says what the target knows of its memory.
    template <class Memory>
    std::filesystem::path generate(const Memory& memory) {
        using namespace inlay;
        const auto start = std::chrono::steady_clock::now();
        require(!checkpoint_.tokenizer.empty() || !options_.tokenizer.empty(), "model '", checkpoint_.path.string(),
                "' has no tokenizer; name a folder with vocab.json and merges.txt by --tokenizer");
        const io::ClipTokenizer tokenizer(options_.tokenizer.empty() ? checkpoint_.tokenizer : options_.tokenizer);
        const std::vector<std::int32_t> ids = tokens(tokenizer);
        const std::vector<float> from = initial();
        Networks networks(target_, configs_, &checkpoint_.text_encoder, &checkpoint_.unet, &checkpoint_.vae,
                          run_.from_image);
        Pipeline pipeline(target_, networks, run_);
        const std::chrono::duration<double> load = std::chrono::steady_clock::now() - start;
        if (!options_.quiet)
            std::cerr << "memory: weights " << (networks.bytes() >> 20) << " MB, everything else "
                      << (pipeline.bytes() >> 20) << " MB" << memory() << "\n";

        std::vector<std::uint64_t> seeds;
        for (int i = 0; i < options_.batch; ++i) seeds.push_back(*options_.seed + static_cast<std::uint64_t>(i));
        ProgressBar bar(options_.quiet);
        const auto image = [&] {
            try {
                return pipeline.run(
                    ids, seeds,
                    [&](int done, int total) {
                        bar.show(done, total);
                        return !interrupted;
                    },
                    from);
            } catch (const model::Cancelled& e) {
                throw Interrupted(e.what());
            }
        }();
        bar.finish();
        const std::vector<float> pictures = finite(image, pipeline.latents());
        for (int i = 0; i < options_.batch; ++i) write(pictures, i, seeds[static_cast<std::size_t>(i)]);
        if (!options_.quiet) {
            const auto& t = pipeline.timings();
            std::cerr << "time: load " << load.count() << " s, prompt " << t.prompt << " s, "
                      << run_.schedule.steps.size() << " steps " << t.denoise << " s ("
                      << t.denoise / static_cast<double>(run_.schedule.steps.size()) << " s each), decode " << t.decode
                      << " s\n";
        }
        if (options_.replays > 0) {
            const auto t = pipeline.measure(options_.replays);
            std::cerr << "alone, median of " << options_.replays << ": prompt " << t.prompt * 1e3 << " ms, step "
                      << t.step * 1e3 << " ms (" << pipeline.step_launches() << " kernels), decode " << t.decode * 1e3
                      << " ms\n";
        }
        return path(0);
    }

    /// Every kernel of a step, from shapes alone: no weights are read.
    std::string explain() {
        using namespace inlay;
        const Networks networks(target_, configs_, static_cast<const io::Weights*>(nullptr),
                                static_cast<const io::Weights*>(nullptr), static_cast<const io::Weights*>(nullptr));
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
    std::vector<std::int32_t> tokens(const inlay::io::ClipTokenizer& tokenizer) {
        const auto encode = [&](const std::string& text, const char* what) {
            const auto length = static_cast<std::size_t>(configs_.clip.positions);
            const auto e = tokenizer.encode(text, length);
            if (!e.dropped.empty())
                std::cerr << "warning: the " << what << " is longer than " << length
                          << " tokens; left out: " << e.dropped << "\n";
            return e.ids;
        };
        require_vocabulary(tokenizer);
        std::vector<std::int32_t> all;
        const auto repeat = [&](const std::vector<std::int32_t>& ids) {
            for (int i = 0; i < options_.batch; ++i) all.insert(all.end(), ids.begin(), ids.end());
        };
        if (run_.guided()) repeat(encode(options_.negative, "negative prompt"));
        repeat(encode(options_.prompt, "prompt"));
        return all;
    }
    void require_vocabulary(const inlay::io::ClipTokenizer& tokenizer) const {
        inlay::require(tokenizer.vocabulary_size() <= configs_.clip.vocabulary, "the tokenizer has ",
                       tokenizer.vocabulary_size(), " tokens, the text encoder embeds ", configs_.clip.vocabulary);
    }

    /// The picture to begin at, once per image, in [−1, 1].
    std::vector<float> initial() const {
        std::vector<float> all;
        if (!run_.from_image) return all;
        const auto png = inlay::io::read_png(options_.init).image;
        inlay::require(png.width == run_.width && png.height == run_.height, "--init ", options_.init.string(), " is ",
                       png.width, "x", png.height, ", expected ", options_.size, " (--size)");
        for (int i = 0; i < options_.batch; ++i)
            for (const std::uint8_t v : png.rgb) all.push_back(static_cast<float>(v) / 127.5f - 1.0f);
        return all;
    }

    std::filesystem::path path(int i) const {
        if (options_.batch == 1) return options_.out;
        auto p = options_.out;
        return p.replace_filename(p.stem().string() + "-" + std::to_string(i) + p.extension().string());
    }
    /// The number of values that are NaN or infinite.
    static std::ptrdiff_t not_finite(const float* values, inlay::index_t n) {
        return std::count_if(values, values + n, [](float v) { return !std::isfinite(v); });
    }
    /// The pictures, every value of them a number. The decoder is what overflows in fp16 first: where the latents are
    /// numbers, it runs again in fp32. Throws where that does not help.
    std::vector<float> finite(const inlay::Tensor<const float, 4>& pictures,
                              const inlay::Tensor<const float, 4>& latents) const {
        const auto faults = not_finite(latents.data, latents.size());
        inlay::require(faults == 0, "after ", run_.schedule.steps.size(), " steps ", faults, " of ", latents.size(),
                       " latents are NaN or infinite in ", options_.dtype,
                       ", expected numbers; no picture was written");
        std::vector<float> out(pictures.data, pictures.data + pictures.size());
        if (not_finite(out.data(), pictures.size()) == 0) return out;
        if constexpr (sizeof(T) < sizeof(float)) {
            std::cerr << "warning: the decoder overflows in " << options_.dtype << "; decoding again in fp32\n";
            const std::vector<float> from(latents.data, latents.data + latents.size());
            out = (options_.executors ? options_.executors->decode_f32 : options_.host->decode_f32)(options_, from);
        }
        const auto left = not_finite(out.data(), pictures.size());
        inlay::require(left == 0, "the decoder makes ", left, " of ", pictures.size(),
                       " values of the picture NaN or infinite in fp32, expected numbers; no picture was written");
        return out;
    }
    void write(const std::vector<float>& pictures, int i, std::uint64_t seed) const {
        inlay::io::Image png{run_.width, run_.height, {}};
        const inlay::index_t n = run_.width * run_.height * 3;
        for (inlay::index_t j = 0; j < n; ++j) {
            const float v = (pictures[static_cast<std::size_t>(i * n + j)] * 0.5f + 0.5f) * 255.0f;
            png.rgb.push_back(static_cast<std::uint8_t>(std::nearbyint(std::clamp(v, 0.0f, 255.0f))));
        }
        inlay::io::write_png(path(i), png, {{"parameters", parameters::text(options_, scheduler_, seed)}});
    }

    const Options& options_;
    inlay::io::Checkpoint checkpoint_;
    Target& target_;
    inlay::model::Configs configs_;
    inlay::model::SchedulerConfig scheduler_;
    inlay::model::RunOptions run_;
};

/// Pictures by the decoder alone, from the latents of a run in a narrower type.
template <inlay::Storage T, class Target>
std::vector<float> decode(Target& target, const Options& options, const std::vector<float>& latents) {
    using namespace inlay;
    const io::Checkpoint checkpoint = opened(options);
    const model::VaeConfig config = io::vae_config(checkpoint.vae_config);
    const auto vae = model::Loaded<model::VaeDecoder<T>, Target>::from(&checkpoint.vae, target, config, "");
    const Extents<4> e{{options.batch, options.height / config.scale(), options.width / config.scale(),
                        config.latent_channels}};
    return model::decode(target, vae.network, std::span<const float>(latents), e);
}
