// SPDX-License-Identifier: Apache-2.0
/// A GPT-2 of random weights on a GPU, whose tokens are chosen from its graph's logits and by persistent
/// launches.
#pragma once

#include <model/gpt2/weights.hpp>

#include <inlay/exec/graph.hpp>
#include <inlay/model/gpt2/launches.hpp>
#include <inlay/model/networks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace inlay_test {

using Ids = std::vector<std::int32_t>;

/// The sizes of `persistent::Gpt2Tiny`.
inline model::Gpt2Config tiny_program() {
    return {.vocabulary = 300, .positions = 1024, .hidden = 64, .layers = 2, .heads = 2, .inner = 256};
}

template <Storage T>
struct Gpt2OnGpuIn {
    using Session = model::Gpt2Session<T, DeviceTarget>;
    using Network = model::Loaded<model::Gpt2<T>, DeviceTarget>;
    DeviceTarget gpu{0};
    TinyGpt2 weights;
    Network loaded;

    explicit Gpt2OnGpuIn(const model::Gpt2Config& c)
        : weights{std::sqrt(static_cast<float>(TinyGpt2::hidden) / static_cast<float>(c.hidden))},
          loaded(Network::from(&weights, gpu, c, "")) {}

    model::Gpt2Run text(index_t capacity) const { return {.batch = 1, .capacity = capacity, .chunk = 16}; }

    static std::int32_t greatest(const Session& s, index_t row = 0) {
        const auto logits = s.logits(row);
        return static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
    }
    /// The first of n tokens behind the prompt from the logits of its kernels, the others by launches.
    Ids by_launches(const Ids& prompt, int n, const DecoderRun& run) {
        Session session(gpu, loaded.network, text(static_cast<index_t>(prompt.size()) + n));
        model::Gpt2Launches<T> launches(gpu, session, run);
        session.append({prompt});
        Ids tokens = {greatest(session)};
        while (static_cast<int>(tokens.size()) < n) {
            const int left = n - static_cast<int>(tokens.size());
            const auto more = launches.follow(tokens.back(), (std::min)(run.passes, left));
            tokens.insert(tokens.end(), more.begin(), more.end());
        }
        EXPECT_EQ(session.length(0), static_cast<index_t>(prompt.size()) + n - 1);
        return tokens;
    }
    /// The same of several prompts at once.
    std::vector<Ids> by_launches(const std::vector<Ids>& prompts, int n, const DecoderRun& run) {
        return of_batch<model::Gpt2Launches<T>>(prompts, n, run);
    }
    /// With tokens that are sampled, too: the first ones by the sampler, by a seed that grows by 1 from text to text.
    template <class Launches = model::Gpt2SampledLaunches<T>>
    std::vector<Ids> by_sampled_launches(const std::vector<Ids>& prompts, int n, const model::Sampling& sampling,
                                         const DecoderRun& run) {
        return of_batch<Launches>(prompts, n, run, sampling);
    }
    static model::Sampling of_row(model::Sampling s, std::size_t row) {
        s.seed += row;
        return s;
    }
    /// The same with tokens that are sampled, the first by the sampler.
    template <class Launches = model::Gpt2SampledLaunches<T>>
    Ids by_sampled_launches(const Ids& prompt, int n, const model::Sampling& sampling, const DecoderRun& run) {
        Session session(gpu, loaded.network, text(static_cast<index_t>(prompt.size()) + n));
        Launches launches(gpu, session, sampling, run);
        session.append({prompt});
        launches.begin(prompt);
        Ids tokens = {model::TokenSampler(sampling).choose(session.logits(0), prompt, 0, prompt.size())};
        while (static_cast<int>(tokens.size()) < n) {
            const int left = n - static_cast<int>(tokens.size());
            const auto more = launches.follow(tokens.back(), (std::min)(run.passes, left));
            tokens.insert(tokens.end(), more.begin(), more.end());
        }
        return tokens;
    }
    /// Samples from the graph's logits behind each token: those that differ, where a random number falls within what
    /// another order of sums changes of a weight.
    int count_others(const Ids& prompt, const Ids& tokens, const model::Sampling& sampling) {
        Session session(gpu, loaded.network, text(static_cast<index_t>(prompt.size() + tokens.size())));
        session.append({prompt});
        model::TokenSampler sampler(sampling);
        Ids ids = prompt;
        int others = 0;
        for (const std::int32_t token : tokens) {
            others += sampler.choose(session.logits(0), ids, 0, ids.size()) != token;
            ids.push_back(token);
            session.append({{token}});
        }
        return others;
    }
    /// Sees that the graph's logits are greatest at each token, behind those before it. Sums of products are rounded in
    /// another order there: `off` is what that may change of a logit. The number of tokens that are not the greatest.
    int expect_greatest(const Ids& prompt, const Ids& tokens, float off) {
        Session session(gpu, loaded.network, text(static_cast<index_t>(prompt.size() + tokens.size())));
        session.append({prompt});
        int others = 0;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const auto logits = session.logits(0);
            const std::int32_t best = greatest(session);
            others += best != tokens[i];
            EXPECT_GE(logits[static_cast<std::size_t>(tokens[i])], logits[static_cast<std::size_t>(best)] - off)
                << "token " << i << " is " << tokens[i] << ", of the graph " << best;
            session.append({{tokens[i]}});
        }
        return others;
    }

private:
    template <class Launches, class... Sampling>
    std::vector<Ids> of_batch(const std::vector<Ids>& prompts, int n, const DecoderRun& run, const Sampling&... by) {
        const auto batch = static_cast<index_t>(prompts.size());
        std::size_t longest = 0;
        for (const Ids& p : prompts) longest = (std::max)(longest, p.size());
        Session session(gpu, loaded.network,
                        {.batch = batch, .capacity = static_cast<index_t>(longest) + n, .chunk = 16});
        Launches launches(gpu, session, by..., run);
        session.append(prompts);
        std::vector<Ids> tokens;
        for (std::size_t row = 0; row < prompts.size(); ++row) {
            const auto of = static_cast<index_t>(row);
            if constexpr (sizeof...(by) > 0) {
                launches.begin(prompts[row], of);
                tokens.push_back({model::TokenSampler(of_row(by..., row))
                                      .choose(session.logits(of), prompts[row], 0, prompts[row].size())});
            } else {
                tokens.push_back({greatest(session, of)});
            }
        }
        while (static_cast<int>(tokens[0].size()) < n) {
            const int more = (std::min)(run.passes, n - static_cast<int>(tokens[0].size()));
            Ids last;
            for (const Ids& ids : tokens) last.push_back(ids.back());
            const auto ids = launches.follow(last, more);
            for (std::size_t row = 0; row < tokens.size(); ++row) {
                const auto own = ids.subspan(row * static_cast<std::size_t>(more), static_cast<std::size_t>(more));
                tokens[row].insert(tokens[row].end(), own.begin(), own.end());
            }
        }
        for (std::size_t row = 0; row < prompts.size(); ++row)
            EXPECT_EQ(session.length(static_cast<index_t>(row)), static_cast<index_t>(prompts[row].size()) + n - 1);
        return tokens;
    }
};
using Gpt2OnGpu = Gpt2OnGpuIn<fp16>;
using Session = Gpt2OnGpu::Session;

}  // namespace inlay_test
