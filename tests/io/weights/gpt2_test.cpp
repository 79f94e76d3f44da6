// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/weights/gpt2.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace inlay::io;

/// Two numbers under a name.
std::string file(const std::string& name) {
    return test::safetensors(R"({")" + name + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                             std::string(8, '\1'));
}

TEST(Gpt2Checkpoint, ReadsShardsUnderEitherName) {
    const test::Folder folder;
    test::put(folder / "config.json", R"({"model_type": "gpt2", "vocab_size": 20, "eos_token_id": 19})");
    test::put(folder / "generation_config.json", R"({"eos_token_id": [3, 4], "do_sample": true})");
    test::put(folder / "a.safetensors", file("transformer.wte.weight"));
    test::put(folder / "b.safetensors", file("h.0.ln_1.bias"));
    test::put(folder / "c.safetensors", file("transformer.h.0.attn.bias"));
    test::put(folder / "model.safetensors.index.json",
              R"({"weight_map": {"transformer.wte.weight": "a.safetensors", "h.0.ln_1.bias": "b.safetensors",
                                 "transformer.h.0.attn.bias": "c.safetensors"}})");
    const Gpt2Checkpoint gpt2 = open_gpt2(folder.path());
    EXPECT_EQ(gpt2.weights.names(), (std::vector<std::string>{"h.0.ln_1.bias", "wte.weight"}));
    EXPECT_EQ(gpt2.config.stop, (std::vector<std::int32_t>{3, 4}));
}

TEST(Gpt2Checkpoint, UntiedOneNeedsItsHead) {
    const test::Folder folder;
    test::put(folder / "config.json", R"({"tie_word_embeddings": false})");
    test::put(folder / "model.safetensors", file("wte.weight"));
    EXPECT_NE(test::error_of([&] { open_gpt2(folder.path()); }).find("no tensor 'lm_head.weight'"), std::string::npos);
    test::put(folder / "model.safetensors", file("lm_head.weight"));
    EXPECT_TRUE(open_gpt2(folder.path()).weights.contains("lm_head.weight"));
    EXPECT_EQ(test::error_of([&] { open_gpt2(folder / "none"); }),
              "inlay: no such model folder: '" + (folder / "none").string() + "'");
}

}  // namespace
