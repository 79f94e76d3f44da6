// SPDX-License-Identifier: Apache-2.0
/// Special and added tokens of a tokenizer, as transformers 5 gathers them from the files that it and its older
/// versions write.
#pragma once

#include <inlay/io/config/keys.hpp>
#include <inlay/io/tokenizer/added_tokens.hpp>
#include <inlay/io/tokenizer/bpe.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

struct TokenizerFiles {
    Vocabulary vocabulary;
    Merges merges;
    std::string bos, eos, unknown, pad;  ///< `pad` is empty where there is none
    bool prefix_space = false;           ///< of GPT-2: a text that begins with no blank gets one
    std::vector<AddedToken> added;  ///< special ones too, each content once
};

/// Of a tokenizer's class: its names, its own tokens, and what the keys of its config may be.
struct TokenizerKind {
    std::vector<Json> classes;
    std::string bos, eos, unknown, pad;  ///< unless files name others; an empty `pad`: no padding
    bool pads = true;                    ///< prompts are cut and padded on the right, with start and end
    int least_length = 77;               ///< of `model_max_length`
};
inline TokenizerKind clip_kind() {
    const std::string end = "<|endoftext|>";
    return {{"CLIPTokenizer", "CLIPTokenizerFast"}, "<|startoftext|>", end, end, end, true, 77};
}
inline TokenizerKind gpt2_kind() {
    const std::string end = "<|endoftext|>";
    return {{"GPT2Tokenizer", "GPT2TokenizerFast"}, end, end, end, "", false, 1};
}

/// The JSON files of a tokenizer beside its vocabulary and merges; empty objects for those that are not there.
struct TokenizerConfig {
    TokenizerKind kind = clip_kind();
    Json config = Json::object();    ///< tokenizer_config.json
    Json map = Json::object();       ///< special_tokens_map.json
    Json ids = Json::object();       ///< added_tokens.json
    Json added = Json::array();      ///< `added_tokens` of tokenizer.json
    std::string source;                      ///< opens errors of tokens
    std::string config_source, map_source;   ///< open errors of the first two
};

namespace detail {

/// A token as configs write it: its text, or an object with `content` and flags. Null gives no text.
struct WrittenToken {
    AddedToken token;
    bool text_only = false;
    bool operator==(const WrittenToken& o) const {
        const auto flags = [](const AddedToken& t) {
            return std::array{t.normalized, t.single_word, t.lstrip, t.rstrip};
        };
        return token.content == o.token.content && text_only == o.text_only && flags(token) == flags(o.token);
    }
};
inline WrittenToken written_token(const Json& json, const std::string& source) {
    WrittenToken out;
    if (json.is_null()) return out;
    out.text_only = json.is_string();
    if (out.text_only) return out.token.content = json.get<std::string>(), out;
    require(json.is_object() && json.contains("content") && json["content"].is_string(), source,
            ": a special token is neither text nor an object with 'content'");
    AddedToken& t = out.token;
    t.content = json["content"].get<std::string>();
    for (const auto& [key, flag] : {std::pair("normalized", &t.normalized), std::pair("single_word", &t.single_word),
                                    std::pair("lstrip", &t.lstrip), std::pair("rstrip", &t.rstrip)}) {
        if (!json.contains(key)) continue;
        require(json[key].is_boolean(), source, ": '", key, "' of token ", quote(t.content), " is ", shown(json[key]),
                ", expected true or false");
        *flag = json[key].get<bool>();
    }
    return out;
}

/// Gathers tokens in the order in which transformers registers them.
class TokenGatherer {
public:
    TokenGatherer(TokenizerFiles& files, const TokenizerConfig& from)
        : files_(files),
          from_(from),
          modern_(from.config.contains("added_tokens_decoder") && from.config["added_tokens_decoder"].is_object()) {
        files.bos = from.kind.bos, files.eos = from.kind.eos;
        files.unknown = from.kind.unknown, files.pad = from.kind.pad;
        check_keys();
        if (modern_) {
            for (const auto& [id, token] : from.config["added_tokens_decoder"].items()) give(id, token);
        } else {
            give_ids();
            for (const Json& token : from.added)
                give(token.is_object() && token.contains("id") ? token["id"].dump() : "", token);
        }
        for (const auto& [id, token] : given_) place(token, id);
        roles();
        for (const char* key : {"extra_special_tokens", "additional_special_tokens"})
            for (const Json* json : {&from.config, &from.map})
                if (json->contains(key) && (json == &from.config || !modern_)) list(key, (*json)[key]);
        std::map<std::string, WrittenToken> last;
        for (const WrittenToken& w : written_) last[w.token.content] = w;
        for (auto& [content, w] : last) {
            w.token.id = files_.vocabulary.at(content);
            files_.added.push_back(w.token);
        }
        // Of two that match the same text the one of the lesser id counts.
        std::ranges::sort(files_.added, {}, &AddedToken::id);
    }

private:
    /// A token with the id that a file gives it.
    void give(const std::string& id, const Json& json) {
        const WrittenToken w = written_token(json, from_.source);
        const bool number = !id.empty() && id.size() < 10 && id.find_first_not_of("0123456789") == id.npos;
        require(number, from_.source, ": the id of token ", quote(w.token.content), " is ", quote(id),
                ", expected a whole number");
        given_[std::stoi(id)] = w;
    }
    /// added_tokens.json has no flags: tokens that are special elsewhere are matched as they are written.
    void give_ids() {
        require(from_.ids.is_object(), from_.source, ": the added tokens are a JSON ", from_.ids.type_name(),
                ", expected an object of ids");
        std::vector<std::string> special;
        for (const Json* json : {&from_.config, &from_.map})
            for (const auto& [key, value] : json->items())
                if (is_token(key, value) && !(json == &from_.config && from_.map.contains(key)))
                    special.push_back(written_token(value, from_.source).token.content);
        for (const auto& [content, id] : from_.ids.items()) {
            const bool raw = std::ranges::find(special, content) != special.end();
            give(id.dump(), {{"content", content}, {"normalized", !raw}});
        }
    }
    /// Puts a token in the vocabulary, unless it is there.
    void place(const WrittenToken& w, std::int32_t id) {
        const std::string& content = w.token.content;
        if (content.empty()) return;
        const auto it = files_.vocabulary.find(content);
        const std::int32_t expected = it == files_.vocabulary.end() ? next() : it->second;
        require(id == expected, from_.source, ": the added token ", quote(content), " has id ", id, ", expected ",
                expected, it == files_.vocabulary.end() ? ", the first one that is free" : ", that of the vocabulary");
        if (it == files_.vocabulary.end()) {
            files_.vocabulary.emplace(content, id);
            next_ = id + 1;
        }
        written_.push_back(w);
    }
    /// One more than the greatest id.
    std::int32_t next() {
        if (next_ < 0)
            for (const auto& [content, id] : files_.vocabulary) next_ = (std::max)(next_, id + 1);
        require(next_ < (std::numeric_limits<std::int32_t>::max)(), from_.source, ": no id is left for added tokens");
        return (std::max)(next_, 0);
    }
    /// A special token without an id of its own: that of the vocabulary, else a new one.
    void add_special(WrittenToken w) {
        for (const auto& [id, given] : given_)
            if (given.token.content == w.token.content) return;
        if (w.token.content.empty() || std::ranges::find(written_, w) != written_.end()) return;
        const auto it = files_.vocabulary.find(w.token.content);
        place(w, it == files_.vocabulary.end() ? next() : it->second);
    }
    void roles() {
        const std::pair<const char*, std::string*> keys[] = {{"bos_token", &files_.bos},     {"eos_token", &files_.eos},
                                                             {"unk_token", &files_.unknown}, {"sep_token", nullptr},
                                                             {"pad_token", &files_.pad},     {"cls_token", nullptr},
                                                             {"mask_token", nullptr}};
        for (const auto& [key, role] : keys) {
            WrittenToken w;
            if (from_.config.contains(key)) w = written_token(from_.config[key], from_.source);
            if (!modern_ && from_.map.contains(key)) w = written_token(from_.map[key], from_.source);
            if (role && w.token.content.empty()) {
                w.token.content = *role;
                w.text_only = true;
            }
            if (role && !w.token.content.empty()) {
                *role = w.token.content;
                // Unlike other tokens it gets no new id: the embeddings would have no row for it.
                require(files_.vocabulary.contains(*role), "the tokenizer's vocabulary lacks the special token ",
                        quote(*role));
            }
            add_special(w);
        }
        for (const auto& [key, value] : from_.config.items())
            if (is_token(key, value) &&
                std::ranges::none_of(keys, [&, &k = key](const auto& known) { return known.first == k; }))
                add_special(written_token(value, from_.source));
    }
    void list(const char* key, const Json& tokens) {
        require(tokens.is_array() || tokens.is_object() || tokens.is_null(), from_.source, ": '", key, "' is ",
                shown(tokens), ", expected a list of tokens");
        for (const Json& token : tokens) add_special(written_token(token, from_.source));
    }
    static bool is_token(const std::string& key, const Json& value) {
        return key.ends_with("_token") && !value.is_boolean() && !value.is_null();
    }
    void check_keys() {
        ConfigKeys keys(from_.config, from_.config_source);
        const TokenizerKind& kind = from_.kind;
        keys.one_of("tokenizer_class", kind.classes);
        for (const char* side : {"padding_side", "truncation_side"})
            if (kind.pads) keys.only(side, "right");
            else keys.without_effect({side});
        keys.only("split_special_tokens", false);
        keys.only("add_bos_token", kind.pads);
        keys.only("add_eos_token", kind.pads);
        keys.only("init_inputs", Json::array());
        if (keys.number("model_max_length", kind.least_length) < kind.least_length)
            keys.expected("model_max_length", "at least " + std::to_string(kind.least_length));
        if (!kind.pads) files_.prefix_space = keys.boolean("add_prefix_space", false);
        if (const auto it = from_.config.find("added_tokens_decoder"); it != from_.config.end() && !it->is_null())
            if (!modern_) keys.expected(it.key(), "an object of tokens by their ids");
        for (const auto& [key, value] : from_.config.items())
            if (is_token(key, value)) keys.without_effect({key.c_str()});  // read above
        // Of decoding, of the slow tokenizer, of calls, and of where the files come from.
        keys.without_effect({"added_tokens_decoder", "additional_special_tokens", "extra_special_tokens"});
        keys.without_effect({"add_prefix_space", "backend", "chat_template", "clean_up_tokenization_spaces",
                             "do_lower_case", "errors", "from_slow", "is_local", "legacy", "local_files_only",
                             "max_length", "merges_file", "model_input_names", "name_or_path", "pad_to_multiple_of",
                             "pad_token_type_id", "processor_class", "special_tokens_map_file", "stride",
                             "tokenizer_file", "truncation", "truncation_strategy", "trust_remote_code", "use_fast",
                             "vocab_file"});
        keys.done();
        ConfigKeys map(from_.map, from_.map_source);
        for (const auto& [key, value] : from_.map.items())
            if (is_token(key, value)) map.without_effect({key.c_str()});
        map.without_effect({"additional_special_tokens", "extra_special_tokens"});
        map.done();
    }

    TokenizerFiles& files_;
    const TokenizerConfig& from_;
    bool modern_;
    std::map<std::int32_t, WrittenToken> given_;
    std::vector<WrittenToken> written_;
    std::int32_t next_ = -1;
};

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::io
