// SPDX-License-Identifier: Apache-2.0
/// CLIP's tokenizer: id for id that of transformers' CLIPTokenizerFast, for any text.
#pragma once

#include <inlay/io/tokenizer/added_tokens.hpp>
#include <inlay/io/tokenizer/bpe.hpp>
#include <inlay/io/tokenizer/clip_words.hpp>
#include <inlay/io/tokenizer/files.hpp>
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

struct Encoded {
    std::vector<std::int32_t> ids;  ///< `length` of them: start, text, end, padding
    std::string dropped;            ///< the text that did not fit, as the tokens spell it; empty when all did
};

class ClipTokenizer {
public:
    /// Tokens of one prompt of SD1.5, start and end included.
    static constexpr std::size_t usual_length = 77;

    /// Reads a tokenizer folder. Throws one sentence when a file is missing or malformed.
    explicit ClipTokenizer(const std::filesystem::path& folder) : ClipTokenizer(read_tokenizer(folder)) {}
    explicit ClipTokenizer(const TokenizerFiles& files)
        : bos_(id(files, files.bos)),
          eos_(id(files, files.eos)),
          pad_(id(files, files.pad)),
          encoder_(files.vocabulary, files.merges, id(files, files.unknown)) {
        for (const auto& [token, id] : files.vocabulary) {
            tokens_[id] = token;
            size_ = (std::max)(size_, id + 1);
        }
        for (const AddedToken& token : files.added) {
            std::string& content = tokens_[token.id];
            if (token.normalized) content = normalize(content);
            (token.normalized ? normalized_ : raw_).add(content, token);
        }
    }

    /// The prompt as a text encoder of `length` positions takes it. Text past `length` − 2 tokens is cut off and handed
    /// back. Throws when `text` is not UTF-8, or `length` leaves start and end no room.
    Encoded encode(std::string_view text, std::size_t length = usual_length) const {
        require(length >= 2, "a prompt of ", length, " tokens has no room for its start and end, expected at least 2");
        const std::vector<std::int32_t> content = tokenize(text);
        const std::size_t kept = (std::min)(content.size(), length - 2);
        Encoded out;
        out.ids.reserve(length);
        out.ids.push_back(bos_);
        out.ids.insert(out.ids.end(), content.begin(), content.begin() + static_cast<std::ptrdiff_t>(kept));
        out.ids.push_back(eos_);
        out.ids.resize(length, pad_);
        out.dropped = decode(std::span(content).subspan(kept));
        return out;
    }

    /// The ids of `text` alone: no start, no end, of any length. Throws when `text` is not UTF-8.
    std::vector<std::int32_t> tokenize(std::string_view text) const {
        unicode::require_well_formed(text);  // added tokens cut white space off by bytes, stray ones among them
        std::vector<std::int32_t> ids;
        raw_.split(text, ids, [&](std::string_view part) {
            normalized_.split(normalize(part), ids, [&](std::string_view words) {
                for_each_clip_word(words, [&](std::string_view word) { encoder_.encode(word, ids); });
            });
        });
        return ids;
    }

    /// The text that `ids` spell: lower case, words set apart by spaces, ill-formed bytes as U+FFFD. Throws for an id
    /// that the vocabulary lacks.
    std::string decode(std::span<const std::int32_t> ids) const {
        std::string bytes;
        for (const std::int32_t id : ids) {
            const auto it = tokens_.find(id);
            require(it != tokens_.end(), "the tokenizer has no token with id ", id);
            bytes += bytes_of_symbols(it->second);
        }
        const std::string text = unicode::repaired(bytes);
        std::string out;
        for (std::size_t i = 0; i < text.size();) {
            const bool end = std::string_view(text).substr(i).starts_with(word_end);
            out += end ? ' ' : text[i];
            i += end ? word_end.size() : 1;
        }
        constexpr std::string_view blank = " \x1c\x1d\x1e\x1f";  // stripped by Python, and possible in a token
        out.erase(out.find_last_not_of(blank) + 1);
        out.erase(0, out.find_first_not_of(blank));
        return out;
    }

    std::int32_t bos() const { return bos_; }
    std::int32_t eos() const { return eos_; }
    std::int32_t pad() const { return pad_; }
    /// One more than the greatest id: the rows that the embedding table must have.
    std::int32_t vocabulary_size() const { return size_; }

private:
    static std::int32_t id(const TokenizerFiles& files, const std::string& token) {
        const auto it = files.vocabulary.find(token);
        require(it != files.vocabulary.end(), "the tokenizer's vocabulary lacks the special token ", quote(token));
        return it->second;
    }
    /// NFC, any white space as one blank, small letters.
    static std::string normalize(std::string_view text) {
        const std::string composed = unicode::nfc(text);
        std::string out;
        out.reserve(composed.size());
        for (std::string_view rest = composed; !rest.empty();) {
            const std::string_view before = rest;
            const bool space = unicode::is_space(unicode::take(rest));
            if (!space) out += before.substr(0, before.size() - rest.size());
            else if (rest.empty() || !begins_with_space(rest)) out += ' ';
        }
        return unicode::lower(out);
    }
    static bool begins_with_space(std::string_view s) { return unicode::is_space(unicode::take(s)); }

    std::int32_t bos_, eos_, pad_, size_ = 0;
    BytePairEncoder encoder_;
    AddedTokenMatcher raw_, normalized_;
    std::unordered_map<std::int32_t, std::string> tokens_;
};

}  // namespace inlay::inline INLAY_ABI::io
