// SPDX-License-Identifier: Apache-2.0
/// The files of a CLIP tokenizer: read from a folder as transformers reads them, or written for a vocabulary of bytes.
#pragma once

#include <inlay/io/atomic_file.hpp>
#include <inlay/io/bpe.hpp>
#include <inlay/io/byte_symbols.hpp>
#include <inlay/io/json_file.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

/// A special token, matched in a prompt as it is written, or, if `normalized`, only after normalisation.
struct SpecialToken {
    std::string content;
    bool normalized = false;
};

struct TokenizerFiles {
    Vocabulary vocabulary;
    Merges merges;
    std::string bos = "<|startoftext|>", eos = "<|endoftext|>", unknown = "<|endoftext|>", pad = "<|endoftext|>";
    std::vector<SpecialToken> special;  ///< each content once
};

namespace detail {

inline Vocabulary vocabulary_from(const Json& json, const std::string& source) {
    require(json.is_object(), source, " holds a JSON ", json.type_name(), ", expected an object of ids");
    Vocabulary vocabulary;
    vocabulary.reserve(json.size());
    for (const auto& [token, id] : json.items()) {
        require(id.is_number_unsigned() && id.get<std::uint64_t>() < std::numeric_limits<std::int32_t>::max(), source,
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

/// A special token as configs write it: its text, or an object with `content` and `normalized`. Null gives no text.
struct WrittenToken {
    std::string content;
    enum Form { string, raw, normalized } form = string;
    bool operator==(const WrittenToken&) const = default;
};
inline WrittenToken written_token(const Json& json, const std::string& source) {
    if (json.is_null()) return {};
    if (json.is_string()) return {json.get<std::string>(), WrittenToken::string};
    require(json.is_object() && json.contains("content") && json["content"].is_string(), source,
            ": a special token is neither text nor an object with 'content'");
    const bool normalized = json.contains("normalized") && json["normalized"] == true;
    return {json["content"].get<std::string>(), normalized ? WrittenToken::normalized : WrittenToken::raw};
}

/// Which spelling of a token counts where a folder has several: transformers registers each distinct spelling in turn,
/// those of added_tokens_decoder (or the added_tokens of a tokenizer.json) first, and the last one stays.
inline void use_config(TokenizerFiles& files, const Json& config, const Json& map, const Json& added,
                       const std::string& source) {
    std::map<std::string, WrittenToken> decoder;
    const auto add = [&](const Json& json, const std::string& id) {
        const WrittenToken token = written_token(json, source);
        const auto it = files.vocabulary.find(token.content);
        require(it != files.vocabulary.end() && std::to_string(it->second) == id, source,
                ": the vocabulary has no token ", quote(token.content), " with id ", id);
        decoder[token.content] = token;
    };
    const bool modern = config.contains("added_tokens_decoder") && config["added_tokens_decoder"].is_object();
    if (modern)
        for (const auto& [id, token] : config["added_tokens_decoder"].items()) add(token, id);
    else if (added.is_array())
        for (const Json& token : added) add(token, token.is_object() && token.contains("id") ? token["id"].dump() : "");
    std::vector<WrittenToken> written;
    for (const auto& [content, token] : decoder) written.push_back(token);
    for (const auto& [key, role] : {std::pair("bos_token", &files.bos), std::pair("eos_token", &files.eos),
                                    std::pair("unk_token", &files.unknown), std::pair("pad_token", &files.pad)}) {
        WrittenToken token{*role, WrittenToken::string};
        if (config.contains(key)) token = written_token(config[key], source);
        if (!modern && map.contains(key)) token = written_token(map[key], source);
        if (token.content.empty()) token = {*role, WrittenToken::string};
        if (const auto it = decoder.find(token.content); it != decoder.end()) token = it->second;
        *role = token.content;
        if (std::ranges::find(written, token) == written.end()) written.push_back(token);
    }
    std::map<std::string, bool> last;
    for (const WrittenToken& token : written) last[token.content] = token.form == WrittenToken::normalized;
    for (const auto& [content, normalized] : last) files.special.push_back({content, normalized});
}

}  // namespace detail

/// From text in memory: vocab.json, merges.txt, and what tokenizer_config.json says of special tokens. Throws one
/// sentence, opened by `source`, where the text is malformed.
inline TokenizerFiles parse_tokenizer(std::string_view vocabulary, std::string_view merges,
                                      std::string_view config = "{}", const std::string& source = "tokenizer") {
    TokenizerFiles files;
    files.vocabulary = detail::vocabulary_from(parse_json(vocabulary, source), source);
    files.merges = detail::merges_from(merges, source);
    const Json json = parse_json(config, source);
    require(json.is_object(), source, ": the config is a JSON ", json.type_name(), ", expected an object");
    detail::use_config(files, json, Json::object(), Json(), source);
    return files;
}

/// From a folder: vocab.json and merges.txt, or, as transformers 5 saves it, tokenizer.json.
inline TokenizerFiles read_tokenizer(const std::filesystem::path& folder) {
    require(std::filesystem::is_directory(folder), "no such tokenizer folder: ", quote(folder));
    TokenizerFiles files;
    Json added;
    const auto single = folder / "tokenizer.json";
    if (!std::filesystem::exists(folder / "vocab.json") && std::filesystem::exists(single)) {
        const Json json = read_json_object(single);
        const std::string source = quote(single);
        require(json.contains("model") && json["model"].is_object() && json["model"].contains("vocab") &&
                    json["model"].contains("merges") && json["model"]["merges"].is_array(),
                source, " has no BPE model with vocab and merges");
        files.vocabulary = detail::vocabulary_from(json["model"]["vocab"], source);
        files.merges = detail::merges_from(json["model"]["merges"], source);
        if (json.contains("added_tokens")) added = json["added_tokens"];
    } else {
        const std::string source = quote(folder / "merges.txt");
        files.vocabulary = detail::vocabulary_from(read_json_object(folder / "vocab.json"),
                                                   quote(folder / "vocab.json"));
        files.merges = detail::merges_from(MappedFile(folder / "merges.txt").text(), source);
    }
    const auto optional = [&](const char* name) {
        return std::filesystem::exists(folder / name) ? read_json_object(folder / name) : Json::object();
    };
    detail::use_config(files, optional("tokenizer_config.json"), optional("special_tokens_map.json"), added,
                       quote(folder));
    return files;
}

/// Writes a tokenizer that knows bytes only: 256 bytes, 256 bytes that end a word, start and end of text as ids 512 and
/// 513, no merges. transformers reads the folder too.
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
