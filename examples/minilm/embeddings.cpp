// SPDX-License-Identifier: Apache-2.0
/// Model and token ids to embeddings on the CPU.
#include "../program/command_line.hpp"
#include "encoder.hpp"
#include "options.hpp"
#include "sentences.hpp"

#include <inlay/exec/host.hpp>
#include <inlay/io/weights/files.hpp>
#include <inlay/report/explain_program.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <numeric>
#include <utility>

namespace {

using namespace inlay;
using namespace minilm;

/// An encoder with its weights, and what it runs on.
template <int D>
class Runner {
public:
    Runner(const Options& o, const Config& c, const io::Weights& weights) : host_(o.threads), config_(c) {
        Arena measure;
        Encoder<D>(nn::Loader<float, io::Weights, Host>(nullptr, host_, measure), c);
        memory_ = host_.allocate(measure.measured());
        Arena arena(memory_.data(), memory_.size());
        encoder_ = std::make_unique<Encoder<D>>(nn::Loader<float, io::Weights, Host>(&weights, host_, arena), c);
    }
    /// Prints a line for each sentence, or the kernels that would compute it.
    void run(const Sentence* first, std::size_t count, bool explain) {
        const auto n = static_cast<index_t>(count);
        std::vector<float> lengths;
        std::size_t longest = 0;
        for (std::size_t i = 0; i < count; ++i) {
            longest = (std::max)(longest, first[i].size());
            lengths.push_back(static_cast<float>(first[i].size()));
        }
        std::vector<std::int32_t> ids, positions(longest);
        std::iota(positions.begin(), positions.end(), 0);
        for (std::size_t i = 0; i < count; ++i) {
            ids.insert(ids.end(), first[i].begin(), first[i].end());
            ids.resize((i + 1) * longest);      // padding
        }
        const auto s = static_cast<index_t>(longest);
        const std::int32_t segment = 0;
        const Batch batch{tensor(std::as_const(ids).data(), n, s), tensor(std::as_const(positions).data(), s),
                          tensor(&segment, 1), tensor(std::as_const(lengths).data(), n)};
        Program<Host> shape, program;
        Arena measure;
        encoder_->build(nn::Build<float, Host>{&shape, &measure, ""}, batch);
        if (explain) return static_cast<void>(std::cout << explain_program(shape.launches(), host_target));
        const auto memory = host_.allocate(measure.measured());
        Arena arena(memory.data(), memory.size());
        const auto y = encoder_->build(nn::Build<float, Host>{&program, &arena, ""}, batch);
        program.run(host_);
        for (index_t i = 0; i < y->size(); ++i)
            std::printf("%.9g%c", static_cast<double>(y->data[i]), (i + 1) % config_.hidden == 0 ? '\n' : ' ');
    }

private:
    Host host_;
    Config config_;
    Host::Memory memory_;
    std::unique_ptr<Encoder<D>> encoder_;
};

void run(const Options& o) {
    require(!o.model.empty(), "--model is missing: a folder with config.json and model.safetensors");
    require(o.ids.empty() != o.words.empty(), "token ids are missing or come twice: expected --ids FILE, or the ids of "
            "a sentence");
    program::require_exists("--model", o.model);
    require(std::filesystem::is_directory(o.model), "--model is '", o.model.string(), "', expected a folder");
    const Config c = read_config(o.model / "config.json");
    std::vector<Sentence> sentences;
    if (o.ids.empty()) {
        std::string line;
        for (const std::string& word : o.words) line += word + " ";
        sentences.push_back(read_ids(line, "the command line", c));
    } else {
        sentences = read_sentences(o.ids, c);
    }
    // Files of some libraries have the encoder below "bert.".
    const auto weights = io::open_weights(o.model, "model", "model", [](std::string_view name) {
        return std::string(name.starts_with("bert.") ? name.substr(5) : name);
    });
    nn::with_head_dim<32, 64>(c.hidden / c.heads, [&]<int D>() {
        Runner<D> runner(o, c, weights);
        const auto most = static_cast<std::size_t>(o.batch);
        for (std::size_t i = 0; i < sentences.size(); i += most) {
            runner.run(sentences.data() + i, (std::min)(sentences.size() - i, most), o.explain);
            if (o.explain) break;
        }
    });
}

}  // namespace

INLAY_HOST_PATH(embeddings){.run = run};
