// SPDX-License-Identifier: Apache-2.0
/// GPT-2's tokenizer: id for id that of transformers' GPT2TokenizerFast, for any text.
#pragma once

#include <inlay/io/tokenizer/added_tokens.hpp>
#include <inlay/io/tokenizer/bpe.hpp>
#include <inlay/io/tokenizer/files.hpp>
#include <inlay/io/tokenizer/gpt2_words.hpp>
#include <inlay/io/tokenizer/text_stream.hpp>
#include <inlay/io/tokenizer/unicode.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

class Gpt2Tokenizer {
public:
    /// Reads a folder with `tokenizer.json`, or `vocab.json` and `merges.txt`. Throws one sentence when a file is
    /// missing or malformed.
    explicit Gpt2Tokenizer(const std::filesystem::path& folder)
        : Gpt2Tokenizer(read_tokenizer(folder, gpt2_kind())) {}
    /// Files that were read or parsed as those of `gpt2_kind()`.
    explicit Gpt2Tokenizer(const TokenizerFiles& files)
        : prefix_space_(files.prefix_space), encoder_(files.vocabulary, files.merges, -1, "") {
        const auto end = files.vocabulary.find(files.eos);
        require(end != files.vocabulary.end(), "the tokenizer's vocabulary lacks the special token ", quote(files.eos));
        end_ = end->second;
        for (const auto& [token, id] : files.vocabulary) {
            const bool fresh = bytes_.emplace(id, bytes_of_symbols(token)).second;
            require(fresh, "the tokenizer's vocabulary gives the id ", id, " to two tokens, one of them ",
                    quote(token));
            size_ = (std::max)(size_, id + 1);
        }
        for (const AddedToken& token : files.added) (token.normalized ? normalized_ : raw_).add(token.content, token);
    }

    /// The ids of `text`, of any length; special tokens in it are found. Throws when `text` is not UTF-8.
    std::vector<std::int32_t> encode(std::string_view text) const {
        unicode::require_well_formed(text);
        std::vector<std::int32_t> ids;
        raw_.split(text, ids, [&](std::string_view part) {
            normalized_.split(part, ids, [&](std::string_view words) { append_words(words, ids); });
        });
        return ids;
    }

    /// The text that `ids` spell; ill-formed bytes become U+FFFD. Throws for an id that the vocabulary lacks.
    std::string decode(std::span<const std::int32_t> ids) const {
        std::string out;
        for (const std::int32_t id : ids) out += bytes(id);
        return unicode::repaired(out);
    }
    /// The bytes of one token, which may end inside a character: a `TextStream` makes text of them. Throws for an id
    /// that the vocabulary lacks.
    const std::string& bytes(std::int32_t id) const {
        const auto it = bytes_.find(id);
        require(it != bytes_.end(), "the tokenizer has no token with id ", id);
        return it->second;
    }

    /// True of ids that `bytes` and `decode` take: a model may have more rows than its tokenizer has tokens.
    bool contains(std::int32_t id) const { return bytes_.contains(id); }
    /// `<|endoftext|>`: it ends a text, and begins one that has no prompt.
    std::int32_t end() const { return end_; }
    /// One more than the greatest id: the rows that the embedding table must have.
    std::int32_t vocabulary_size() const { return size_; }

private:
    void append_words(std::string_view text, std::vector<std::int32_t>& ids) const {
        const auto encode = [&](std::string_view word) { encoder_.encode(word, ids); };
        if (prefix_space_ && !text.starts_with(' ')) for_each_gpt2_word(" " + std::string(text), encode);
        else for_each_gpt2_word(text, encode);
    }

    bool prefix_space_;
    std::int32_t end_ = 0, size_ = 0;
    BytePairEncoder encoder_;
    AddedTokenMatcher raw_, normalized_;
    std::unordered_map<std::int32_t, std::string> bytes_;
};

}  // namespace inlay::inline INLAY_ABI::io
