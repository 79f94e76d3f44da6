// SPDX-License-Identifier: Apache-2.0
/// The shape of a BERT encoder, from the config.json beside its weights.
#pragma once

#include <inlay/io/config/keys.hpp>

#include <filesystem>

namespace minilm {

using inlay::index_t;

struct Config {
    index_t vocabulary = 30522, hidden = 768, heads = 12, layers = 12, intermediate = 3072, positions = 512, types = 2;
};

/// Every key is honoured, accepted at the one value that this program computes, or one without effect. Throws one
/// sentence that names file and key.
inline Config read_config(const std::filesystem::path& file) {
    namespace io = inlay::io;
    const io::Json json = io::read_json_object(file);
    io::ConfigKeys keys(json, file.string());
    Config c;
    c.vocabulary = keys.integer("vocab_size", c.vocabulary);
    c.hidden = keys.integer("hidden_size", c.hidden);
    c.heads = keys.integer("num_attention_heads", c.heads);
    c.layers = keys.integer("num_hidden_layers", c.layers);
    c.intermediate = keys.integer("intermediate_size", c.intermediate);
    c.positions = keys.integer("max_position_embeddings", c.positions);
    c.types = keys.integer("type_vocab_size", c.types);
    keys.only("model_type", "bert");
    keys.only("architectures", io::Json::array({"BertModel"}));
    keys.only("hidden_act", "gelu");
    keys.only("layer_norm_eps", 1e-12);
    keys.only("position_embedding_type", "absolute");
    for (const char* key : {"add_cross_attention", "is_decoder"}) keys.only(key, false);
    keys.without_effect({"attention_probs_dropout_prob", "bos_token_id", "classifier_dropout", "dtype", "eos_token_id",
                         "gradient_checkpointing", "hidden_dropout_prob", "initializer_range", "pad_token_id",
                         "tie_word_embeddings", "torch_dtype", "transformers_version", "use_cache"});
    keys.done();
    if (c.hidden % c.heads != 0) keys.expected("hidden_size", "a multiple of num_attention_heads");
    return c;
}

}  // namespace minilm
