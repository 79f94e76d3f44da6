// SPDX-License-Identifier: Apache-2.0
/// Tokens of the tiny GPT-2 by persistent launches are those of its graph; by the emulator on a CPU, too.
#include "decoder.hpp"

#include <exec/sentence.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(Decoder, TokensAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(tiny_program());
    const Ids prompt = {41, 7, 299, 0, 123};
    const Ids tokens = gpt2.by_launches(prompt, 9, {.passes = 3});
    EXPECT_LE(gpt2.expect_greatest(prompt, tokens, 4e-3f), 1);
    EXPECT_GT(std::ranges::count_if(tokens, [&](std::int32_t id) { return id != tokens[0]; }), 2);
    EXPECT_EQ(gpt2.by_launches(prompt, 9, {.passes = 5, .blocks = 2, .delay = 500}), tokens);
    EXPECT_EQ(gpt2.by_launches(prompt, 9, {.passes = 3, .by_phases = true}), tokens);
}
TEST(Decoder, TokensOfABatchAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(tiny_program());
    const std::vector<Ids> prompts = {
        {41, 7, 299, 0, 123}, {5}, {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3}};
    const std::vector<Ids> tokens = gpt2.by_launches(prompts, 7, {.passes = 3});
    for (std::size_t row = 0; row < prompts.size(); ++row)
        EXPECT_LE(gpt2.expect_greatest(prompts[row], tokens[row], 4e-3f), 1) << "text " << row;
    EXPECT_NE(tokens[0], tokens[1]);
    EXPECT_EQ(gpt2.by_launches(prompts, 7, {.passes = 6, .blocks = 2, .delay = 500}), tokens);
    EXPECT_EQ(gpt2.by_launches(prompts, 7, {.passes = 6, .by_phases = true}), tokens);
}
TEST(Decoder, TokensOfFp32AreThoseOfTheGraph) {
    Gpt2OnGpuIn<float> gpt2(tiny_program());
    const std::vector<Ids> prompts = {{41, 7, 299, 0, 123}, {5}, {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2}};
    const Ids one = gpt2.by_launches(prompts[0], 7, {.passes = 3});
    EXPECT_EQ(gpt2.by_launches(prompts[0], 7, {.passes = 5, .blocks = 2, .delay = 500, .by_phases = true}), one);
    const std::vector<Ids> tokens = gpt2.by_launches(prompts, 7, {.passes = 3});
    for (std::size_t row = 0; row < prompts.size(); ++row)
        EXPECT_EQ(gpt2.expect_greatest(prompts[row], tokens[row], 1e-5f), 0) << "text " << row;
    EXPECT_EQ(tokens[0], one);
    const model::Sampling sampling{.temperature = 0.9, .top_k = 20, .top_p = 0.9, .seed = 11};
    using Launches = model::Gpt2RestrictedLaunches<float>;
    const Ids drawn = gpt2.by_sampled_launches<Launches>(prompts[0], 7, sampling, {.passes = 3});
    EXPECT_EQ(gpt2.count_others(prompts[0], drawn, sampling), 0);
}
TEST(Decoder, SampledTokensAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(tiny_program());
    const Ids prompt = {41, 7, 299, 0, 123};
    const model::Sampling sampling{.temperature = 0.9, .repetition_penalty = 1.5, .seed = 11};
    const Ids tokens = gpt2.by_sampled_launches(prompt, 9, sampling, {.passes = 3});
    EXPECT_LE(gpt2.count_others(prompt, tokens, sampling), 1);
    EXPECT_GT(std::ranges::count_if(tokens, [&](std::int32_t id) { return id != tokens[0]; }), 2);
    EXPECT_EQ(gpt2.by_sampled_launches(prompt, 9, sampling, {.passes = 5, .blocks = 2, .delay = 500}), tokens);
}
TEST(Decoder, SampledTokensOfABatchAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(tiny_program());
    const std::vector<Ids> prompts = {{41, 7, 299, 0, 123}, {41, 7}};
    const model::Sampling sampling{.temperature = 0.9, .repetition_penalty = 1.5, .seed = 11};
    const std::vector<Ids> tokens = gpt2.by_sampled_launches(prompts, 6, sampling, {.passes = 3});
    for (std::size_t row = 0; row < prompts.size(); ++row)
        EXPECT_LE(gpt2.count_others(prompts[row], tokens[row], Gpt2OnGpu::of_row(sampling, row)), 1) << "text " << row;
    EXPECT_NE(tokens[0], tokens[1]);
    EXPECT_EQ(gpt2.by_sampled_launches(prompts, 6, sampling, {.passes = 3, .by_phases = true}), tokens);
}
TEST(Decoder, RestrictedTokensAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(tiny_program());
    const Ids prompt = {41, 7, 299, 0, 123};
    const model::Sampling sampling{.temperature = 0.9, .top_k = 20, .top_p = 0.9, .seed = 11};
    using Launches = model::Gpt2RestrictedLaunches<fp16>;
    const Ids tokens = gpt2.by_sampled_launches<Launches>(prompt, 9, sampling, {.passes = 3});
    EXPECT_LE(gpt2.count_others(prompt, tokens, sampling), 1);
    EXPECT_EQ(gpt2.by_sampled_launches<Launches>(prompt, 9, sampling, {.passes = 5, .blocks = 2, .delay = 500}), tokens);
    EXPECT_EQ(gpt2.by_sampled_launches<Launches>(prompt, 9, sampling, {.passes = 5, .by_phases = true}), tokens);
}
TEST(Decoder, RestrictedTokensOfABatchAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(tiny_program());
    const std::vector<Ids> prompts = {{41, 7, 299, 0, 123}, {41, 7}};
    const model::Sampling sampling{.temperature = 0.9, .top_k = 20, .top_p = 0.9, .seed = 11};
    using Launches = model::Gpt2RestrictedLaunches<fp16>;
    const std::vector<Ids> tokens = gpt2.by_sampled_launches<Launches>(prompts, 6, sampling, {.passes = 3});
    for (std::size_t row = 0; row < prompts.size(); ++row)
        EXPECT_LE(gpt2.count_others(prompts[row], tokens[row], Gpt2OnGpu::of_row(sampling, row)), 1) << "text " << row;
    EXPECT_NE(tokens[0], tokens[1]);
    EXPECT_EQ(gpt2.by_sampled_launches<Launches>(prompts, 6, sampling, {.passes = 3, .by_phases = true}), tokens);
}
TEST(Decoder, RefusesToSampleByNumbersThatItDoesNotKnow) {
    Gpt2OnGpu gpt2(tiny_program());
    Session session(gpt2.gpu, gpt2.loaded.network, gpt2.text(20));
    const auto says = [&](const std::string& end, const model::Sampling& sampling) {
        expect_sentence(end, [&] { model::Gpt2SampledLaunches<fp16>(gpt2.gpu, session, sampling); });
    };
    says("gpt2: top-k is 3, expected 0 of launches that do not restrict tokens", {.temperature = 1, .top_k = 3});
    says("gpt2: top-p is 0.5, expected 1 of launches that do not restrict tokens", {.temperature = 1, .top_p = 0.5});
    says("sampling: the temperature is -1, expected a number from 0 on", {.temperature = -1});
}
TEST(Decoder, RefusesWhatHasNoProgram) {
    const auto says = [](const std::string& end, const model::Gpt2Config& c, index_t batch, const DecoderRun& run) {
        expect_sentence(end, [&] {
            Gpt2OnGpu gpt2(c);
            Session session(gpt2.gpu, gpt2.loaded.network, {.batch = batch, .capacity = 20, .chunk = 4});
            model::Gpt2Launches<fp16> launches(gpt2.gpu, session, run);
            launches.follow(1, batch == 1 ? 21 : 2);
        });
    };
    model::Gpt2Config other = tiny_program();
    other.vocabulary = 301;
    says("there is no persistent program of a decoder of width 64, 2 heads, 256 columns of its MLP, 301 tokens and "
         "1024 positions, expected the sizes of GPT-2 124M or of the tiny one",
         other, 1, {});
    says("a persistent launch in fp16 continues 1 to 8 texts, the model has 9", tiny_program(), 9, {});
    expect_sentence("a persistent launch in fp32 continues 1 to 4 texts, the model has 5", [&] {
        Gpt2OnGpuIn<float> gpt2(tiny_program());
        Gpt2OnGpuIn<float>::Session session(gpt2.gpu, gpt2.loaded.network, {.batch = 5, .capacity = 20, .chunk = 4});
        model::Gpt2Launches<float> launches(gpt2.gpu, session);
    });
    says("a decoder's launch begins at 1 tokens and 2 positions, expected those of 2 sequences", tiny_program(), 2, {});
    says("a decoder's launch has 0 tokens, expected at least 1", tiny_program(), 1, {.passes = 0});
    says("gpt2: row 0 would have 21 tokens, expected at most 20", tiny_program(), 1, {});
}
TEST(Decoder, RefusesLaunchesBeyondTheCache) {
    Gpt2OnGpu gpt2(tiny_program());
    Session session(gpt2.gpu, gpt2.loaded.network, gpt2.text(20));
    GreedyDecoder<fp16> decoder(gpt2.gpu, model::decoder_model(session), {.passes = 4});
    expect_sentence("a decoder's launch has 5 tokens, expected 1 to 4", [&] { decoder.launch(1, 0, 5); });
    expect_sentence("a decoder's launch of 4 tokens begins at position 19, expected 0 to 17",
                    [&] { decoder.launch(1, 19, 4); });
    SampledDecoder<fp16> sampled(gpt2.gpu, model::decoder_model(session), {.temperature = 1});
    for (const index_t row : {index_t(-1), index_t(1)})
        expect_sentence("sequence " + std::to_string(row) + " begins, expected 0 to 0", [&] { sampled.begin({}, row); });
}

}  // namespace
