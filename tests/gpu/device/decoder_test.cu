// SPDX-License-Identifier: Apache-2.0
/// Persistent launches on a GPU: GPT-2 124M's tokens beside its graph's, and ten thousand tokens on several grids with
/// random delays. Ended they have when the kernels' bounded waits did not end them with an error.
#include <exec/cuda/decoder.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(DecoderOnDevice, TokensOf124MAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(model::Gpt2Config{});
    const Ids prompt = {464, 3290, 318, 257, 1257, 11, 50256};
    const int tokens_there = 200;
    const Ids tokens = gpt2.by_launches(prompt, tokens_there, {});
    EXPECT_LE(gpt2.expect_greatest(prompt, tokens, 0.02f), tokens_there / 20);
    for (const int blocks : {66, 40, 3})
        EXPECT_EQ(gpt2.by_launches(prompt, tokens_there, {.passes = 7, .blocks = blocks, .delay = 3000}), tokens)
            << blocks << " blocks";
}
TEST(DecoderOnDevice, SampledTokensOf124MAreThoseOfTheGraph) {
    Gpt2OnGpu gpt2(model::Gpt2Config{});
    const Ids prompt = {464, 3290, 318, 257, 1257, 11, 50256};
    const model::Sampling sampling{.temperature = 0.8, .repetition_penalty = 1.2, .seed = 1};
    const int tokens_there = 200;
    const Ids tokens = gpt2.by_sampled_launches(prompt, tokens_there, sampling, {});
    EXPECT_LE(gpt2.count_others(prompt, tokens, sampling), tokens_there / 20);
    for (const int blocks : {66, 40, 3})
        EXPECT_EQ(gpt2.by_sampled_launches(prompt, tokens_there, sampling,
                                           {.passes = 7, .blocks = blocks, .delay = 3000}),
                  tokens)
            << blocks << " blocks";
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
}

}  // namespace
