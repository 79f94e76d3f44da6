// SPDX-License-Identifier: Apache-2.0
#include "generate.hpp"
#include "rows.hpp"

#include <inlay/io/weights/gpt2.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>

namespace {

using namespace inlay;

class Stopwatch {
public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The prompt's ids, of which the model takes as many with the tokens that follow.
std::vector<std::int32_t> prompt_ids(const Options& o, const io::Gpt2Tokenizer& tokenizer,
                                     const model::Gpt2Config& config) {
    require(tokenizer.vocabulary_size() <= config.vocabulary, "the tokenizer has ", tokenizer.vocabulary_size(),
            " tokens, the model embeds ", config.vocabulary);
    const std::string& text = *o.prompt;
    require(!text.empty(), "the prompt is empty, expected at least one character");
    const auto nul = text.find('\0');
    require(nul == text.npos, "the prompt has a NUL behind ", nul, " bytes, expected text");
    std::vector<std::int32_t> ids = tokenizer.encode(text);
    require(!ids.empty(), "the prompt has no tokens: the vocabulary lacks all of its bytes");
    const auto n = static_cast<index_t>(ids.size());
    require(o.tokens < config.positions, "--tokens is ", o.tokens, ", expected at most ", config.positions - 1,
            ": the model has ", config.positions, " positions, and a prompt takes one or more");
    require(n + o.tokens <= config.positions, "the prompt has ", n, " tokens, expected at most ",
            config.positions - o.tokens, ", so that --tokens ", o.tokens, " end within the ", config.positions,
            " positions of the model");
    return ids;
}

/// Prints the median microseconds of several runs, each of which returns its seconds, and `what()` they are of.
template <class F, class What>
void measure(int runs, const F& seconds, const What& what) {
    std::vector<double> all;
    for (int i = 0; i < runs; ++i) all.push_back(seconds());
    std::ranges::nth_element(all, all.begin() + runs / 2);
    std::cerr << "alone, median of " << runs << ": " << all[static_cast<std::size_t>(runs / 2)] * 1e6 << " us "
              << what() << "\n";
}

/// Tokens of the rows until they end, or Ctrl-C; `texts` has the prompts. The number of tokens of a row.
int continue_texts(const Options& o, Texts& texts, Rows& rows) {
    int steps = 0;
    const auto goes_on = [&] { return !interrupted && steps < o.tokens && !rows.ended(); };
    const auto choose = [&] { rows.choose([&](int row) { return texts.logits(row); }), ++steps; };
    if (goes_on()) choose();
    while (goes_on())
        if (Launches* const launches = texts.launches()) {
            const int n = (std::min)(o.tokens_a_launch, o.tokens - steps);
            steps += rows.take(launches->follow(rows.last_of_all(), n), n);
        } else {
            texts.append(rows.last());
            choose();
        }
    return steps;
}

}  // namespace

bool generate(const Options& o, Open& open) {
    const Stopwatch load;
    const io::Gpt2Checkpoint checkpoint = io::open_gpt2(o.model);
    const io::Gpt2Tokenizer tokenizer(checkpoint.path);
    const std::vector<std::int32_t> ids = prompt_ids(o, tokenizer, checkpoint.config);
    const auto texts = open(o, static_cast<int>(ids.size()) + o.tokens);
    const double loaded = load.seconds();
    if (!o.quiet) std::cerr << "memory: " << texts->memory() << "\n";

    Rows rows(o, tokenizer, checkpoint.config.stop, ids);
    const Stopwatch prompt;
    texts->append(rows.prompts());
    if (Launches* const launches = texts->launches()) launches->begin(ids);
    const double prompted = prompt.seconds();
    const Stopwatch tokens;
    const int steps = continue_texts(o, *texts, rows);
    const double seconds = tokens.seconds();
    rows.finish();
    if (!o.quiet) {
        std::cerr << "time: load " << loaded << " s, prompt of " << ids.size() << " tokens " << prompted << " s, "
                  << rows.chosen() << " tokens " << seconds << " s";
        const auto behind_prompt = static_cast<double>(rows.chosen()) - o.batch;  // the first come with the prompt
        if (steps > 1) std::cerr << " (" << behind_prompt / seconds << " tokens/s)";
        std::cerr << "\n";
    }
    if (o.replays > 0 && !interrupted)
        measure(o.replays, [&] { return texts->replay(); }, [&] { return "a token (" + texts->kernels() + ")"; });
    if (o.prompt_replays > 0 && !interrupted)
        measure(o.prompt_replays, [&] { return texts->replay_prompt(); },
                [&] { return "a part of the prompt, " + std::to_string(texts->chunk()) + " tokens"; });
    return !interrupted;
}
