// SPDX-License-Identifier: Apache-2.0
/// GPT-2's kernels, the names it reads, and the configurations it refuses. Its numbers: `session_test.cpp`.
#include "../../nn/asked.hpp"

#include <inlay/model/gpt2/network.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

model::Gpt2Config config() {
    return {.vocabulary = 50, .positions = 12, .hidden = 32, .layers = 2, .heads = 2, .inner = 128};
}
std::string launches_of_layers() {
    std::string all;
    for (const std::string h : {"h.0.", "h.1."})
        all += h + "ln_1 layernorm\n" + h + "attn.c_attn linear\n" + h + "attn attention\n" + h + "attn.c_proj linear\n" +
               h + "ln_2 layernorm\n" + h + "mlp.c_fc linear\n" + h + "mlp.c_proj linear\n";
    return all;
}

TEST(Gpt2Network, LaunchesTheEmbeddingAndSevenKernelsALayer) {
    Asked asked;
    const model::Gpt2<fp16> network(asked.load(), config());
    const nn::KeyValueCache<fp16> cache{asked.tensor(3, 2, 13, 16), asked.tensor(3, 2, 13, 16)};
    const auto x = network.build_layers(asked.build(), {nullptr, {{3, 4}}}, {nullptr, {{3, 4}}}, {cache, cache});
    EXPECT_EQ(x->extents, (Extents<3>{{3, 4, 32}}));
    EXPECT_EQ(asked.launches(), "embeddings elementwise\n" + launches_of_layers());
}
TEST(Gpt2Network, LogitsAreOfTheLastTokensAlone) {
    Asked asked;
    const model::Gpt2<fp16> network(asked.load(), config());
    network.build_logits(asked.build(), asked.tensor(3, 4, 32), {nullptr, {{3}}}, {nullptr, {{3, 50}}});
    EXPECT_EQ(asked.launches(), "ln_f layernorm\nlm_head linear\n");
}
TEST(Gpt2Network, ReadsTheVocabularyOnceMoreOrUnderItsOwnName) {
    const std::string begin = "wte.weight [50, 32]\nwpe.weight [12, 32]\nln_f.weight [32]\nln_f.bias [32]\n";
    for (const bool tied : {true, false}) {
        const Asked asked;
        auto c = config();
        c.tied = tied;
        const model::Gpt2<fp16> network(asked.load(), c);
        EXPECT_TRUE(asked.names().starts_with(begin + (tied ? "wte.weight [50, 32]\n" : "lm_head.weight [50, 32]\n") +
                                              "h.0.ln_1.weight [32]\n"))
            << asked.names();
        EXPECT_NE(asked.names().find("\nh.1.mlp.c_proj.weight [128, 32]\n"), std::string::npos);
        EXPECT_EQ(asked.names().find("h.2."), std::string::npos);
    }
}
TEST(Gpt2Network, RefusesWhatNoKernelComputes) {
    const auto error_of = [](const auto& change) -> std::string {
        auto c = config();
        change(c);
        const Asked asked;
        try {
            model::Gpt2<fp16>(asked.load(), c);
        } catch (const Error& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_EQ(error_of([](auto& c) { c.heads = 5; }),
              "inlay: gpt2: n_embd is 32, expected a multiple of n_head, 5");
    EXPECT_EQ(error_of([](auto& c) { c.heads = 0; }),
              "inlay: gpt2: n_embd is 32, expected a multiple of n_head, 0");
    EXPECT_EQ(error_of([](auto& c) { c.norm_epsilon = 1e-6; }),
              "inlay: gpt2: layer_norm_epsilon is 1e-06, expected 1e-05");
    EXPECT_EQ(error_of([](auto& c) { c.activation = "gelu"; }),
              "inlay: gpt2: activation_function is 'gelu', expected 'gelu_new' or 'gelu_pytorch_tanh'");
    const std::string scores = "inlay: gpt2: the scores of attention are scaled otherwise";
    EXPECT_TRUE(error_of([](auto& c) { c.scale = false; }).starts_with(scores));
    EXPECT_TRUE(error_of([](auto& c) { c.scale_by_layer = true; }).starts_with(scores));
    EXPECT_EQ(error_of([](auto& c) { c.activation = "gelu_pytorch_tanh"; }), "");
}

}  // namespace
