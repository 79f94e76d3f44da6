// SPDX-License-Identifier: Apache-2.0
/// CLIP's tokenizer: id for id that of transformers' CLIPTokenizerFast, for any text.
#pragma once

#include <inlay/io/bpe.hpp>
#include <inlay/io/clip_words.hpp>
#include <inlay/io/tokenizer_files.hpp>
#include <inlay/io/unicode.hpp>

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
    std::vector<std::int32_t> ids;  ///< exactly `ClipTokenizer::length`: start, text, end, padding
    std::string dropped;            ///< the text that did not fit, as the tokens spell it; empty when all did
};

class ClipTokenizer {
public:
    /// Tokens of one prompt, start and end included.
    static constexpr std::size_t length = 77;

    /// Reads a tokenizer folder. Throws one sentence when a file is missing or malformed.
    explicit ClipTokenizer(const std::filesystem::path& folder) : ClipTokenizer(read_tokenizer(folder)) {}
    explicit ClipTokenizer(const TokenizerFiles& files)
        : bos_(id(files, files.bos)), eos_(id(files, files.eos)), pad_(id(files, files.pad)),
          encoder_(files.vocabulary, files.merges, id(files, files.unknown)) {
        for (const auto& [token, id] : files.vocabulary) {
            tokens_[id] = token;
            size_ = std::max(size_, id + 1);
        }
        for (const SpecialToken& token : files.special)
            (token.normalized ? normalized_ : raw_)
                .push_back({token.normalized ? normalize(token.content) : token.content, id(files, token.content)});
        // Where two match at one place the longer wins.
        for (auto* list : {&raw_, &normalized_})
            std::ranges::sort(*list, std::greater<>(), [](const Special& s) { return s.content.size(); });
    }

    /// The prompt as the text encoder takes it. Text past 75 tokens is cut off and handed back. Throws when `text` is
    /// not UTF-8.
    Encoded encode(std::string_view text) const {
        const std::vector<std::int32_t> content = tokenize(text);
        const std::size_t kept = std::min(content.size(), length - 2);
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
        std::vector<std::int32_t> ids;
        split(text, raw_, ids, [&](std::string_view part) {
            split(normalize(part), normalized_, ids, [&](std::string_view words) {
                for_each_clip_word(words, [&](std::string_view word) { encoder_.encode(word, ids); });
            });
        });
        return ids;
    }

    /// The text that `ids` spell: lower case, words set apart by spaces, ill-formed bytes as U+FFFD. Throws for an id
    /// that the vocabulary lacks.
    std::string decode(std::span<const std::int32_t> ids) const {
        std::string symbols;
        for (const std::int32_t id : ids) {
            const auto it = tokens_.find(id);
            require(it != tokens_.end(), "the tokenizer has no token with id ", id);
            symbols += it->second;
        }
        const std::string text = unicode::repaired(bytes_of_symbols(symbols));
        std::string out;
        for (std::size_t i = 0; i < text.size();) {
            const bool end = std::string_view(text).substr(i).starts_with(word_end);
            out += end ? ' ' : text[i];
            i += end ? word_end.size() : 1;
        }
        constexpr std::string_view blank = " \x1c\x1d\x1e\x1f";  // what Python strips and a token can hold
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
    struct Special {
        std::string content;
        std::int32_t id;
    };

    static std::int32_t id(const TokenizerFiles& files, const std::string& token) {
        const auto it = files.vocabulary.find(token);
        require(it != files.vocabulary.end(), "the tokenizer's vocabulary lacks the special token ", quote(token));
        return it->second;
    }
    /// White space needs no rewriting: words end at any of it.
    static std::string normalize(std::string_view text) { return unicode::lower(unicode::nfc(text)); }

    /// Appends the id of every special token in `text`, and hands what lies between to `between`.
    template <class Between>
    static void split(std::string_view text, const std::vector<Special>& specials, std::vector<std::int32_t>& ids,
                      const Between& between) {
        std::size_t begin = 0;
        for (std::size_t at = 0; at < text.size();) {
            const auto hit = std::ranges::find_if(specials, [&](const Special& s) {
                return !s.content.empty() && text.substr(at).starts_with(s.content);
            });
            if (hit == specials.end()) {
                ++at;
                continue;
            }
            if (at > begin) between(text.substr(begin, at - begin));
            ids.push_back(hit->id);
            begin = at += hit->content.size();
        }
        if (begin < text.size()) between(text.substr(begin));
    }

    std::int32_t bos_, eos_, pad_, size_ = 0;
    BytePairEncoder encoder_;
    std::vector<Special> raw_, normalized_;
    std::unordered_map<std::int32_t, std::string> tokens_;
};

}  // namespace inlay::inline INLAY_ABI::io
