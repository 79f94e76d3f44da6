// SPDX-License-Identifier: Apache-2.0
/// Persistent launches on a GPU: GPT-2 124M's tokens beside its graph's, and ten thousand tokens on several grids with
/// random delays. Ended they have when the kernels' bounded waits did not end them with an error.
#include <exec/cuda/decoder.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

/// The greatest distance of a token's random number from the token's own part of the graph's probabilities, in their
/// sum: 0 where the graph chooses the same ones. 50,257 tokens of random weights are nearly as likely as each other,
/// 2e-5 each, and another order of sums moves their ends by as much; a number of another seed or position is anywhere
/// from 0 to 1.
double farthest_from_its_place(Gpt2OnGpu& gpt2, const Ids& prompt, const Ids& tokens,
                               const model::Sampling& sampling) {
    Session session(gpt2.gpu, gpt2.loaded.network,
                               gpt2.text(static_cast<index_t>(prompt.size() + tokens.size())));
    session.append({prompt});
    model::TokenSampler sampler(sampling);
    Ids ids = prompt;
    double farthest = 0;
    for (const std::int32_t token : tokens) {
        sampler.choose(session.logits(0), ids, 0, ids.size());
        const auto weights = sampler.weights();
        double total = 0, begin = 0;
        for (const std::uint64_t w : weights) total += static_cast<double>(w);
        for (std::int32_t i = 0; i < token; ++i) begin += static_cast<double>(weights[static_cast<std::size_t>(i)]);
        const double end = begin + static_cast<double>(weights[static_cast<std::size_t>(token)]);
        const double place = total * 0x1p-64 *
                             static_cast<double>(inlay::sampling::random_word(sampling.seed, 0, ids.size()));
        farthest = std::max({farthest, (begin - place) / total, (place - end) / total});
        ids.push_back(token);
        session.append({{token}});
    }
    return farthest;
}

TEST(DecoderOnDevice, TokensOf124MAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(model::Gpt2Config{});
    const Ids prompt = {464, 3290, 318, 257, 1257, 11, 50256};
    const int tokens_there = 200;
    const Ids tokens = gpt2.by_launches(prompt, tokens_there, {});
    EXPECT_LE(gpt2.expect_greatest(prompt, tokens, 0.02f), tokens_there / 20);
    for (const int blocks : {66, 40, 3})
        EXPECT_EQ(gpt2.by_launches(prompt, tokens_there, {.passes = 7, .blocks = blocks, .delay = 3000}), tokens)
            << blocks << " blocks";
    for (const int passes : {1, 16})
        EXPECT_EQ(gpt2.by_launches(prompt, tokens_there, {.passes = passes, .by_phases = true}), tokens) << passes;
    for (const int blocks : {66, 3})
        EXPECT_EQ(gpt2.by_launches(prompt, tokens_there, {.blocks = blocks, .delay = 3000, .by_phases = true}), tokens)
            << blocks << " blocks, by phases";
}
TEST(DecoderOnDevice, TokensOf124MInFp32AreThoseOfTheGraph) {
    Gpt2OnGpuIn<float> gpt2(model::Gpt2Config{});
    const std::vector<Ids> prompts = {{464, 3290, 318, 257, 1257, 11, 50256}, {464}, {318, 257, 1257}, Ids(300, 257)};
    const int tokens_there = 100;
    const Ids tokens = gpt2.by_launches(prompts[0], tokens_there, {});
    EXPECT_LE(gpt2.expect_greatest(prompts[0], tokens, 1e-4f), 1);
    for (const int blocks : {66, 3})
        EXPECT_EQ(gpt2.by_launches(prompts[0], tokens_there, {.passes = 7, .blocks = blocks, .delay = 3000}), tokens)
            << blocks << " blocks";
    EXPECT_EQ(gpt2.by_launches(prompts[0], tokens_there, {.by_phases = true}), tokens);
    const std::vector<Ids> all = gpt2.by_launches(prompts, tokens_there, {});
    for (std::size_t row = 0; row < prompts.size(); ++row)
        EXPECT_LE(gpt2.expect_greatest(prompts[row], all[row], 1e-4f), 1) << "text " << row;
    EXPECT_EQ(gpt2.by_launches(prompts, tokens_there, {.by_phases = true}), all);
}
/// Texts of 1 to 700 tokens of prompt, two, three and eight of them: parts of the keys are 4, 3 and 1.
TEST(DecoderOnDevice, TokensOfBatchesOf124MAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(model::Gpt2Config{});
    std::vector<Ids> prompts;
    for (const int length : {7, 700, 1, 13, 48, 301, 2, 96}) {
        prompts.emplace_back();
        for (int i = 0; i < length; ++i) prompts.back().push_back((i * i * 31 + length * 977) % 50257);
    }
    const int tokens_there = 100;
    const std::vector<Ids> tokens = gpt2.by_launches(prompts, tokens_there, {});
    int others = 0;
    for (std::size_t row = 0; row < prompts.size(); ++row)
        others += gpt2.expect_greatest(prompts[row], tokens[row], 0.02f);
    EXPECT_LE(others, static_cast<int>(prompts.size()) * tokens_there / 20);
    for (const int blocks : {66, 40, 3})
        EXPECT_EQ(gpt2.by_launches(prompts, tokens_there, {.passes = 7, .blocks = blocks, .delay = 3000}), tokens)
            << blocks << " blocks";
    EXPECT_EQ(gpt2.by_launches(prompts, tokens_there, {.by_phases = true}), tokens);
    EXPECT_EQ(gpt2.by_launches(prompts, tokens_there, {.passes = 7, .blocks = 40, .delay = 3000, .by_phases = true}),
              tokens);
    for (const std::size_t batch : {std::size_t(2), std::size_t(3), std::size_t(4)}) {
        const std::vector<Ids> some(prompts.begin(), prompts.begin() + static_cast<std::ptrdiff_t>(batch));
        const std::vector<Ids> own = gpt2.by_launches(some, tokens_there, {});
        for (std::size_t row = 0; row < batch; ++row)
            EXPECT_LE(gpt2.expect_greatest(prompts[row], own[row], 0.02f), tokens_there / 10) << batch << " texts";
        EXPECT_EQ(gpt2.by_launches(some, tokens_there, {.passes = 7, .delay = 3000}), own) << batch << " texts";
        EXPECT_EQ(gpt2.by_launches(some, tokens_there, {.by_phases = true}), own) << batch << " texts";
    }
}
TEST(DecoderOnDevice, SampledTokensOf124MAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(model::Gpt2Config{});
    const Ids prompt = {464, 3290, 318, 257, 1257, 11, 50256};
    const model::Sampling sampling{.temperature = 0.8, .repetition_penalty = 1.2, .seed = 1};
    const int tokens_there = 200;
    const Ids tokens = gpt2.by_sampled_launches(prompt, tokens_there, sampling, {});
    EXPECT_LE(farthest_from_its_place(gpt2, prompt, tokens, sampling), 2e-4);
    for (const int blocks : {66, 40, 3})
        EXPECT_EQ(gpt2.by_sampled_launches(prompt, tokens_there, sampling,
                                           {.passes = 7, .blocks = blocks, .delay = 3000}),
                  tokens)
            << blocks << " blocks";
    EXPECT_EQ(gpt2.by_sampled_launches(prompt, tokens_there, sampling, {.by_phases = true}), tokens);
}
TEST(DecoderOnDevice, RestrictedTokensOf124MAreTheSameByPhases) {
    Gpt2OnGpu gpt2(model::Gpt2Config{});
    const Ids prompt = {464, 3290, 318, 257, 1257, 11, 50256};
    const model::Sampling sampling{.temperature = 0.8, .top_k = 40, .top_p = 0.9, .seed = 1};
    using Launches = model::Gpt2RestrictedLaunches<fp16>;
    EXPECT_EQ(gpt2.by_sampled_launches<Launches>(prompt, 100, sampling, {.by_phases = true}),
              gpt2.by_sampled_launches<Launches>(prompt, 100, sampling, {}));
}
/// Of the tiny model: logits of 124M's random weights are nearly equal, so that another order of sums changes tokens.
TEST(DecoderOnDevice, RestrictedTokensOfABatchAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(tiny_program());
    const std::vector<Ids> prompts = {{41, 7, 299, 0, 123}, {1}, {2, 3, 5, 7}, {299, 0, 299}, {11}, {8, 9}, {7}, {5}};
    using Launches = model::Gpt2RestrictedLaunches<fp16>;
    for (const model::Sampling& sampling : {model::Sampling{.temperature = 0.9, .top_k = 20, .seed = 1},
                                            model::Sampling{.temperature = 0.9, .top_p = 0.9, .seed = 2},
                                            model::Sampling{.temperature = 2, .top_k = 40, .top_p = 0.95, .seed = 3}})
        for (const std::size_t batch : {std::size_t(2), std::size_t(3), std::size_t(8)}) {
            const std::vector<Ids> some(prompts.begin(), prompts.begin() + static_cast<std::ptrdiff_t>(batch));
            const std::vector<Ids> tokens = gpt2.by_sampled_launches<Launches>(some, 60, sampling, {});
            int others = 0;
            for (std::size_t row = 0; row < batch; ++row)
                others += gpt2.count_others(some[row], tokens[row], Gpt2OnGpu::of_row(sampling, row));
            EXPECT_LE(others, static_cast<int>(batch) * 3) << batch << " texts";
        }
}
TEST(DecoderOnDevice, RestrictedTokensOfBatchesOf124MAreTheSameByPhases) {
    Gpt2OnGpu gpt2(model::Gpt2Config{});
    std::vector<Ids> prompts;
    for (const int length : {7, 700, 1, 13, 48, 301, 2, 96}) {
        prompts.emplace_back();
        for (int i = 0; i < length; ++i) prompts.back().push_back((i * i * 31 + length * 977) % 50257);
    }
    using Launches = model::Gpt2RestrictedLaunches<fp16>;
    const auto tokens_of = [&](std::size_t batch, const model::Sampling& sampling, const DecoderRun& run) {
        return gpt2.by_sampled_launches<Launches>(
            std::vector<Ids>(prompts.begin(), prompts.begin() + static_cast<std::ptrdiff_t>(batch)), 60, sampling, run);
    };
    for (const model::Sampling& sampling : {model::Sampling{.temperature = 0.8, .top_k = 40, .seed = 1},
                                            model::Sampling{.temperature = 0.8, .top_p = 0.95, .seed = 2},
                                            model::Sampling{.temperature = 0.8, .top_k = 40, .top_p = 0.95, .seed = 3}})
        for (const std::size_t batch : {std::size_t(2), std::size_t(5), std::size_t(8)}) {
            const std::vector<Ids> tokens = tokens_of(batch, sampling, {});
            EXPECT_EQ(tokens_of(batch, sampling, {.passes = 7, .delay = 3000}), tokens) << batch << " texts";
            EXPECT_EQ(tokens_of(batch, sampling, {.by_phases = true}), tokens) << batch << " texts, by phases";
            // Of eight the keys of a head are one part from any number of blocks, so that sums are the same.
            for (const int blocks : batch == 8 ? std::vector{66, 3} : std::vector<int>{})
                EXPECT_EQ(tokens_of(batch, sampling, {.passes = 7, .blocks = blocks, .delay = 3000}), tokens)
                    << blocks << " blocks";
        }
}
TEST(DecoderOnDevice, SampledTokensOfABatchOf124MAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(model::Gpt2Config{});
    const std::vector<Ids> prompts = {{464, 3290, 318, 257, 1257, 11, 50256}, {1}, {11, 12, 13}, {50256, 464}, {7, 7}};
    const model::Sampling sampling{.temperature = 0.8, .repetition_penalty = 1.2, .seed = 1};
    const std::vector<Ids> tokens = gpt2.by_sampled_launches(prompts, 60, sampling, {});
    for (std::size_t row = 0; row < prompts.size(); ++row)
        EXPECT_LE(farthest_from_its_place(gpt2, prompts[row], tokens[row], Gpt2OnGpu::of_row(sampling, row)), 2e-4)
            << "text " << row;
    EXPECT_EQ(gpt2.by_sampled_launches(prompts, 60, sampling, {.passes = 7, .delay = 3000}), tokens);
    EXPECT_EQ(gpt2.by_sampled_launches(prompts, 60, sampling, {.by_phases = true}), tokens);
}
TEST(DecoderOnDevice, TenThousandTokensOnSeveralGridsWithDelays) {
    Gpt2OnGpu gpt2(tiny_program());
    const Ids prompt = {41, 7, 299, 0, 123};
    const Ids tokens = gpt2.by_launches(prompt, 1000, {});
    EXPECT_LE(gpt2.expect_greatest(prompt, tokens, 4e-3f), 20);
    for (const int delay : {0, 2000, 20000})
        for (const int blocks : {9, 5, 2})
            EXPECT_EQ(gpt2.by_launches(prompt, 1000, {.passes = 61, .blocks = blocks, .delay = delay}), tokens)
                << blocks << " blocks, delays up to " << delay;
    for (const int delay : {0, 20000})
        EXPECT_EQ(gpt2.by_launches(prompt, 1000, {.passes = 61, .delay = delay, .by_phases = true}), tokens)
            << "by phases, delays up to " << delay;
    const std::vector<Ids> prompts = {prompt, {1}, {2, 3, 5, 7}, {299, 0, 299}, {11}};
    const std::vector<Ids> texts = gpt2.by_launches(prompts, 1000, {});
    for (const int delay : {0, 20000})
        for (const int blocks : {9, 2})
            EXPECT_EQ(gpt2.by_launches(prompts, 1000, {.passes = 61, .blocks = blocks, .delay = delay}), texts)
                << blocks << " blocks, delays up to " << delay;
}

}  // namespace
