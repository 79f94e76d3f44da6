// SPDX-License-Identifier: Apache-2.0
/// The shape of a GPT-2 from config.json. Every key of transformers 5.24 is honoured, accepted at the value that
/// changes nothing, or listed as one without effect.
#pragma once

#include <inlay/io/config/keys.hpp>
#include <inlay/io/config/model.hpp>
#include <inlay/model/gpt2/config.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

namespace detail {

/// The tokens that end a text: an id or a list of ids, each below the size of the vocabulary. `otherwise` where the key
/// is absent; none where it is null.
inline std::vector<std::int32_t> stop_tokens(const Json& json, const ConfigKeys& keys, index_t vocabulary,
                                             std::vector<std::int32_t> otherwise) {
    const auto it = json.find("eos_token_id");
    if (it == json.end()) return otherwise;
    std::vector<std::int32_t> out;
    const Json list = it->is_null() ? Json::array() : it->is_array() ? *it : Json::array({*it});
    for (const Json& id : list) {
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0 || id.get<std::int64_t>() >= vocabulary)
            keys.expected("eos_token_id", "ids below vocab_size, " + std::to_string(vocabulary));
        out.push_back(id.get<std::int32_t>());
    }
    return out;
}

}  // namespace detail

/// Throws one sentence for a key that is malformed, or whose effect on the result is not computed here.
inline model::Gpt2Config gpt2_config(const Json& json, const std::string& source = "gpt2: config.json") {
    ConfigKeys keys(json, source);
    model::Gpt2Config c;
    // transformers' names for the same, under which other programs write them; of two the first counts.
    const auto either = [&](const char* key, const char* other, index_t otherwise) {
        const index_t general = keys.integer(other, otherwise), own = keys.integer(key, general);
        if (keys.given(key) && keys.given(other) && own != general)
            keys.expected(other, std::to_string(own) + ", the value of '" + key + "'");
        return own;
    };
    keys.only("model_type", "gpt2");
    keys.one_of("architectures", {Json::array({"GPT2LMHeadModel"}), Json::array({"GPT2Model"}),
                                  Json::array({"GPT2DoubleHeadsModel"})});
    c.vocabulary = keys.integer("vocab_size", c.vocabulary);
    c.positions = either("n_positions", "max_position_embeddings", c.positions);
    c.hidden = either("n_embd", "hidden_size", c.hidden);
    c.layers = either("n_layer", "num_hidden_layers", c.layers);
    c.heads = either("n_head", "num_attention_heads", c.heads);
    c.inner = keys.integer("n_inner", 4 * c.hidden);
    c.norm_epsilon = keys.number("layer_norm_epsilon", c.norm_epsilon);
    keys.one_of("activation_function", {"gelu_new", "gelu_pytorch_tanh"});  // two names of one function
    c.scale = keys.boolean("scale_attn_weights", true);
    c.scale_by_layer = keys.boolean("scale_attn_by_inverse_layer_idx", false);
    c.tied = keys.boolean("tie_word_embeddings", true);
    c.stop = detail::stop_tokens(json, keys, c.vocabulary,
                                 c.vocabulary > 50256 ? c.stop : std::vector<std::int32_t>());
    keys.without_effect({"eos_token_id"});
    keys.only("add_cross_attention", false);
    keys.only("is_decoder", false);  // of an encoder and decoder
    // The older name of n_positions, which transformers does not read where that is given.
    if (keys.given("n_ctx") && !keys.given("n_positions")) c.positions = keys.integer("n_ctx", c.positions);
    // Dropout and initial values belong to training, summaries to classification; sums are in fp32 anyhow.
    keys.without_effect({"attn_pdrop", "bos_token_id", "embd_pdrop", "initializer_range", "n_ctx", "pad_token_id",
                         "reorder_and_upcast_attn", "resid_pdrop", "summary_activation", "summary_first_dropout",
                         "summary_proj_to_labels", "summary_type", "summary_use_proj"});
    detail::ignore_pretrained(keys);
    keys.done();
    if (c.hidden % c.heads != 0) keys.expected("n_embd", "a multiple of n_head, " + std::to_string(c.heads));
    if (c.norm_epsilon <= 0) keys.expected("layer_norm_epsilon", "a number above 0");
    return c;
}

}  // namespace inlay::inline INLAY_ABI::io
