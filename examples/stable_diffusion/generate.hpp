// SPDX-License-Identifier: Apache-2.0
/// Prompt to PNG in one storage type on one target. Each pair is one translation unit.
#pragma once

#include "options.hpp"
#include "progress.hpp"

#include <inlay/io/checkpoint.hpp>
#include <inlay/io/clip_tokenizer.hpp>
#include <inlay/io/model_config.hpp>
#include <inlay/io/png.hpp>
#include <inlay/io/scheduler_config.hpp>
#include <inlay/model/pipeline.hpp>
#include <inlay/model/scheduler.hpp>
#include <inlay/plan/explain_program.hpp>
#include <inlay/plan/seed_counts.hpp>
#include <inlay/version.hpp>

#include <chrono>
#include <iostream>
#include <sstream>

template <inlay::Storage T, class Target>
class Generator {
    using Networks = inlay::model::Networks<T, Target>;
    using Pipeline = inlay::model::Pipeline<T, Target>;

public:
    Generator(Target& target, const Options& options)
        : options_(options),
          checkpoint_(inlay::io::open_checkpoint(options.model)),
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
        run_.schedule = model::make_schedule(kind, io::scheduler_config(checkpoint_.scheduler_config, kind),
                                             options.steps, run_.from_image ? options.strength : 1);
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
        for (int i = 0; i < options_.batch; ++i) write(image, i, seeds[static_cast<std::size_t>(i)]);
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
            const auto e = tokenizer.encode(text);
            if (!e.dropped.empty())
                std::cerr << "warning: the " << what << " is longer than 77 tokens; left out: " << e.dropped << "\n";
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
    void write(const inlay::Tensor<const float, 4>& image, int i, std::uint64_t seed) const {
        inlay::io::Image png{run_.width, run_.height, {}};
        const inlay::index_t n = run_.width * run_.height * 3;
        for (inlay::index_t j = 0; j < n; ++j) {
            const float v = (image.data[i * n + j] * 0.5f + 0.5f) * 255.0f;
            png.rgb.push_back(static_cast<std::uint8_t>(v > 0 ? (v < 255 ? std::nearbyint(v) : 255.0f) : 0.0f));
        }
        std::ostringstream p;
        p << options_.prompt << "\nNegative prompt: " << options_.negative << "\nSteps: " << options_.steps
          << ", Sampler: " << options_.scheduler << ", CFG scale: " << options_.guidance << ", Seed: " << seed
          << ", Size: " << run_.width << "x" << run_.height << ", Model: " << checkpoint_.path.filename().string()
          << ", Precision: " << options_.dtype << ", Version: inlay " << INLAY_VERSION_MAJOR << "."
          << INLAY_VERSION_MINOR << "." << INLAY_VERSION_PATCH;
        inlay::io::write_png(path(i), png, {{"parameters", p.str()}});
    }

    const Options& options_;
    inlay::io::Checkpoint checkpoint_;
    Target& target_;
    inlay::model::Configs configs_;
    inlay::model::RunOptions run_;
};
