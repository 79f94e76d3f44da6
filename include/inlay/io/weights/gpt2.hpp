// SPDX-License-Identifier: Apache-2.0
/// A GPT-2 on disk: the folder that transformers writes.
#pragma once

#include <inlay/io/config/gpt2.hpp>
#include <inlay/io/json_file.hpp>
#include <inlay/io/weights/files.hpp>
#include <inlay/io/weights/load.hpp>
#include <inlay/model/gpt2/config.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace inlay::inline INLAY_ABI::io {

/// Weights stay mapped, not copied.
struct Gpt2Checkpoint {
    std::filesystem::path path;  ///< the tokenizer's files lie there too
    Weights weights;             ///< `wte.weight`, `h.0.attn.c_attn.weight` [in, out], …, perhaps `lm_head.weight`
    model::Gpt2Config config;
};

/// The name without the prefix of a model that has a head; nothing for the masks that older files store as tensors.
inline std::string gpt2_name(std::string_view stored) {
    constexpr std::string_view prefix = "transformer.";
    if (stored.starts_with(prefix)) stored.remove_prefix(prefix.size());
    const bool mask = stored.ends_with(".attn.bias") || stored.ends_with(".attn.masked_bias");
    return mask ? "" : std::string(stored);
}

/// Opens config.json, `model.safetensors` or its shards, and generation_config.json for the tokens that end a text, if
/// it is there. Throws one sentence naming what is missing, unreadable or not GPT-2.
inline Gpt2Checkpoint open_gpt2(const std::filesystem::path& folder) {
    require(std::filesystem::is_directory(folder), "no such model folder: ", quote(folder));
    Gpt2Checkpoint out;
    out.path = folder;
    out.config = gpt2_config(read_json_object(folder / "config.json"), quote(folder / "config.json"));
    if (const auto file = folder / "generation_config.json"; std::filesystem::exists(file)) {
        const Json json = read_json_object(file);
        out.config.stop =
            detail::stop_tokens(json, ConfigKeys(json, quote(file)), out.config.vocabulary, out.config.stop);
    }
    out.weights = open_weights(folder, "model", "gpt2", gpt2_name);
    // Files of the bare network have no head, which only a tied one can do without.
    require(out.config.tied || out.weights.contains("lm_head.weight"), quote(folder / "config.json"),
            ": 'tie_word_embeddings' is false, but the weights have no tensor 'lm_head.weight'");
    return out;
}

}  // namespace inlay::inline INLAY_ABI::io
