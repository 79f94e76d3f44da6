// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/config/gpt2.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace inlay::io;

/// The file of openai-community/gpt2.
Json published() {
    return Json::parse(R"({"activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
        "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12,
        "n_positions": 1024, "resid_pdrop": 0.1, "summary_activation": null, "summary_first_dropout": 0.1,
        "summary_proj_to_labels": true, "summary_type": "cls_index", "summary_use_proj": true,
        "task_specific_params": {"text-generation": {"do_sample": true, "max_length": 50}}, "vocab_size": 50257})");
}
std::string error(const char* key, const Json& value) {
    Json json = published();
    json[key] = value;
    return test::error_of([&] { gpt2_config(json); });
}

TEST(Gpt2Config, ReadsThePublishedFile) {
    const auto c = gpt2_config(published());
    EXPECT_EQ(c.vocabulary, 50257);
    EXPECT_EQ(c.positions, 1024);
    EXPECT_EQ(c.hidden, 768);
    EXPECT_EQ(c.layers, 12);
    EXPECT_EQ(c.heads, 12);
    EXPECT_EQ(c.inner, 3072);
    EXPECT_EQ(c.norm_epsilon, 1e-5);
    EXPECT_EQ(c.stop, std::vector<std::int32_t>{50256});
    EXPECT_TRUE(c.scale && c.tied && !c.scale_by_layer);
}

TEST(Gpt2Config, HonoursKeysThatChangeTheResult) {
    Json json = published();
    json.update({{"n_inner", 100}, {"n_embd", 60}, {"layer_norm_epsilon", 1e-6}, {"scale_attn_weights", false},
                 {"scale_attn_by_inverse_layer_idx", true}, {"tie_word_embeddings", false}, {"eos_token_id", {1, 2}}});
    json.erase("n_positions");
    json["n_ctx"] = 512;
    const auto c = gpt2_config(json);
    EXPECT_EQ(c.inner, 100);
    EXPECT_EQ(c.head_width(), 5);
    EXPECT_EQ(c.norm_epsilon, 1e-6);
    EXPECT_EQ(c.positions, 512);
    EXPECT_TRUE(!c.scale && !c.tied && c.scale_by_layer);
    EXPECT_EQ(c.stop, (std::vector<std::int32_t>{1, 2}));
}

TEST(Gpt2Config, RefusesWhatItDoesNotCompute) {
    EXPECT_EQ(error("activation_function", "relu"),
              "inlay: gpt2: config.json: 'activation_function' is \"relu\", expected \"gelu_new\" or "
              "\"gelu_pytorch_tanh\"");
    EXPECT_EQ(error("add_cross_attention", true),
              "inlay: gpt2: config.json: 'add_cross_attention' is true, expected false");
    EXPECT_EQ(error("n_head", 7), "inlay: gpt2: config.json: 'n_embd' is 768, expected a multiple of n_head, 7");
    EXPECT_EQ(error("hidden_size", 700),
              "inlay: gpt2: config.json: 'hidden_size' is 700, expected 768, the value of 'n_embd'");
    EXPECT_EQ(error("eos_token_id", 50257),
              "inlay: gpt2: config.json: 'eos_token_id' is 50257, expected ids below vocab_size, 50257");
    EXPECT_EQ(error("eos_token_id", -1),
              "inlay: gpt2: config.json: 'eos_token_id' is -1, expected ids below vocab_size, 50257");
    EXPECT_EQ(error("layer_norm_epsilon", 0),
              "inlay: gpt2: config.json: 'layer_norm_epsilon' is 0, expected a number above 0");
    EXPECT_EQ(error("n_layer", std::int64_t(1) << 40),
              "inlay: gpt2: config.json: 'n_layer' is 1099511627776, expected a positive integer");
    EXPECT_EQ(error("model_type", "bert"), "inlay: gpt2: config.json: 'model_type' is \"bert\", expected \"gpt2\"");
    EXPECT_NE(error("rotary", true).find("the key 'rotary' (true) is unknown"), std::string::npos);
}

}  // namespace
