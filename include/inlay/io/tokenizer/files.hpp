// SPDX-License-Identifier: Apache-2.0
/// The files of a tokenizer of byte-level BPE (CLIP's, GPT-2's): read from a folder as transformers reads them, or
/// written for a vocabulary of bytes.
#pragma once

#include <inlay/io/atomic_file.hpp>
#include <inlay/io/json_file.hpp>
#include <inlay/io/tokenizer/bpe.hpp>
#include <inlay/io/tokenizer/byte_symbols.hpp>
#include <inlay/io/tokenizer/config.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

namespace detail {

inline Vocabulary vocabulary_from(const Json& json, const std::string& source) {
    require(json.is_object(), source, " holds a JSON ", json.type_name(), ", expected an object of ids");
    Vocabulary vocabulary;
    vocabulary.reserve(json.size());
    for (const auto& [token, id] : json.items()) {
        require(id.is_number_unsigned() && id.get<std::uint64_t>() < (std::numeric_limits<std::int32_t>::max)(), source,
                ": the id of token ", quote(token), " is not a whole number from 0 to 2147483646");
        vocabulary.emplace(token, id.get<std::int32_t>());
    }
    return vocabulary;
}

inline std::pair<std::string, std::string> merge_from(std::string_view line, const std::string& where) {
    const std::size_t space = line.find(' ');
    require(space != std::string_view::npos && line.find(' ', space + 1) == std::string_view::npos, where,
            " is not two tokens with a space between");
    return {std::string(line.substr(0, space)), std::string(line.substr(space + 1))};
}

inline Merges merges_from(std::string_view text, const std::string& source) {
    Merges merges;
    text = utf8_text(text, source);
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line.starts_with("#version")) continue;
        merges.push_back(merge_from(line, source + ": line " + std::to_string(number)));
    }
    return merges;
}

/// The merges of a tokenizer.json: "a b" in older files, ["a", "b"] in newer.
inline Merges merges_from(const Json& json, const std::string& source) {
    Merges merges;
    for (const Json& m : json) {
        const bool pair = m.is_array() && m.size() == 2 && m[0].is_string() && m[1].is_string();
        require(pair || m.is_string(), source, ": merge ", merges.size(), " is not two tokens");
        if (pair) merges.emplace_back(m[0].get<std::string>(), m[1].get<std::string>());
        else merges.push_back(merge_from(m.get<std::string>(), source + ": merge " + std::to_string(merges.size())));
    }
    return merges;
}

}  // namespace detail

/// From text in memory: vocab.json, merges.txt, and the tokens of tokenizer_config.json and added_tokens.json. Throws
/// one sentence, opened by `source`, where the text is malformed.
inline TokenizerFiles parse_tokenizer(std::string_view vocabulary, std::string_view merges,
                                      std::string_view config = "{}", std::string_view added = "{}",
                                      const std::string& source = "tokenizer",
                                      const TokenizerKind& kind = clip_kind()) {
    TokenizerFiles files;
    files.vocabulary = detail::vocabulary_from(parse_json(vocabulary, source), source);
    files.merges = detail::merges_from(merges, source);
    TokenizerConfig from;
    from.kind = kind;
    from.config = parse_json(config, source);
    from.ids = parse_json(added, source);
    from.source = source;
    from.config_source = source + ": the config";
    detail::TokenGatherer(files, from);
    return files;
}

/// From a folder: vocab.json and merges.txt, or tokenizer.json, which transformers prefers where both are there.
inline TokenizerFiles read_tokenizer(const std::filesystem::path& folder, const TokenizerKind& kind = clip_kind()) {
    require(std::filesystem::is_directory(folder), "no such tokenizer folder: ", quote(folder));
    TokenizerFiles files;
    TokenizerConfig from;
    from.kind = kind;
    if (const auto single = folder / "tokenizer.json"; std::filesystem::exists(single)) {
        const Json json = read_json_object(single);
        const std::string source = quote(single);
        require(json.contains("model") && json["model"].is_object() && json["model"].contains("vocab") &&
                    json["model"].contains("merges") && json["model"]["merges"].is_array(),
                source, " has no BPE model with vocab and merges");
        files.vocabulary = detail::vocabulary_from(json["model"]["vocab"], source);
        files.merges = detail::merges_from(json["model"]["merges"], source);
        ConfigKeys model(json["model"], source + ": model");
        model.only("dropout", 0.0);
        model.only("ignore_merges", false);
        if (json.contains("added_tokens") && json["added_tokens"].is_array()) from.added = json["added_tokens"];
        for (const char* key : {"padding", "truncation"})
            if (kind.pads && json.contains(key) && json[key].is_object())
                ConfigKeys(json[key], source + ": " + key).only("direction", "Right");
    } else {
        const std::string source = quote(folder / "merges.txt");
        files.vocabulary =
            detail::vocabulary_from(read_json_object(folder / "vocab.json"), quote(folder / "vocab.json"));
        files.merges = detail::merges_from(MappedFile(folder / "merges.txt").text(), source);
    }
    const auto optional = [&](const char* name) {
        return std::filesystem::exists(folder / name) ? read_json_object(folder / name) : Json::object();
    };
    from.config = optional("tokenizer_config.json");
    from.map = optional("special_tokens_map.json");
    from.ids = optional("added_tokens.json");
    from.source = quote(folder);
    from.config_source = quote(folder / "tokenizer_config.json");
    from.map_source = quote(folder / "special_tokens_map.json");
    detail::TokenGatherer(files, from);
    return files;
}

/// Writes a tokenizer of bytes only: 256 bytes, 256 bytes that end a word, start and end of text as ids 512 and 513, no
/// merges. transformers reads the folder too.
inline void write_byte_vocabulary(const std::filesystem::path& folder) {
    nlohmann::ordered_json vocabulary = nlohmann::ordered_json::object();
    std::int32_t id = 0;
    for (const std::string_view end : {std::string_view(), word_end})
        for (const unsigned char b : byte_order()) vocabulary.push_back({byte_symbol(b) + std::string(end), id++});
    vocabulary.push_back({"<|startoftext|>", id++});
    vocabulary.push_back({"<|endoftext|>", id++});

    const auto special = [](const char* content) {
        return nlohmann::ordered_json{
            {"content", content}, {"lstrip", false}, {"normalized", true}, {"rstrip", false}, {"single_word", false}};
    };
    nlohmann::ordered_json map{{"bos_token", special("<|startoftext|>")},
                               {"eos_token", special("<|endoftext|>")},
                               {"pad_token", "<|endoftext|>"},
                               {"unk_token", special("<|endoftext|>")}};
    nlohmann::ordered_json config = map;
    for (const char* key : {"bos_token", "eos_token", "unk_token"}) config[key]["__type"] = "AddedToken";
    config.update({{"add_prefix_space", false},
                   {"do_lower_case", true},
                   {"errors", "replace"},
                   {"model_max_length", 77},
                   {"tokenizer_class", "CLIPTokenizer"}});

    std::error_code error;
    std::filesystem::create_directories(folder, error);
    require(!error, "cannot create the folder ", quote(folder), ": ", error.message());
    write_file(folder / "vocab.json", vocabulary.dump() + "\n");
    write_file(folder / "merges.txt", "#version: 0.2\n");
    write_file(folder / "special_tokens_map.json", map.dump(2) + "\n");
    write_file(folder / "tokenizer_config.json", config.dump(2) + "\n");
}

}  // namespace inlay::inline INLAY_ABI::io
