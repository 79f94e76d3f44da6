// SPDX-License-Identifier: Apache-2.0
/// Tokens beside a vocabulary's words: special ones, and those of textual inversion. They are found in a prompt before
/// it is cut into words, as the package tokenizers finds them.
#pragma once

#include <inlay/io/tokenizer/unicode.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

struct AddedToken {
    std::string content;
    std::int32_t id = -1;
    bool normalized = false;   ///< matched after normalisation, which its content undergoes too; else as it is written
    bool single_word = false;  ///< not beside a letter, number, mark or underscore
    bool lstrip = false;       ///< takes white space before it away
    bool rstrip = false;       ///< takes white space behind it away
};

/// Finds added tokens of one kind, raw or normalised. At each place the longest that begins there counts.
class AddedTokenMatcher {
public:
    /// `content` as it is matched. Of two with one content the first counts; an empty one is never found.
    void add(const std::string& content, const AddedToken& token) {
        if (content.empty()) return;
        auto& bucket = by_first_byte_[static_cast<unsigned char>(content[0])];
        const auto size = [](const Entry& e) { return e.content.size(); };
        bucket.insert(std::ranges::upper_bound(bucket, content.size(), std::greater<>(), size), {content, token});
    }

    /// Appends the id of every token in `text`, and hands what lies between to `between`.
    template <class Between>
    void split(std::string_view text, std::vector<std::int32_t>& ids, const Between& between) const {
        std::size_t begin = 0;
        for (std::size_t at = 0; at < text.size();) {
            const Entry* hit = find(text.substr(at));
            if (!hit) {
                ++at;
                continue;
            }
            std::size_t first = at, last = at + hit->content.size();
            at = last;  // also where it turns out to be no single word: nothing else is looked for inside
            if (hit->token.single_word && (ends_in_word(text.substr(0, first)) || begins_with_word(text.substr(last))))
                continue;
            if (hit->token.lstrip) first = (std::max)(begin, without_trailing_space(text.substr(0, first)).size());
            if (hit->token.rstrip) last = text.size() - without_leading_space(text.substr(last)).size();
            if (first > begin) between(text.substr(begin, first - begin));
            ids.push_back(hit->token.id);
            begin = last;
        }
        if (begin < text.size()) between(text.substr(begin));
    }

private:
    struct Entry {
        std::string content;
        AddedToken token;
    };

    const Entry* find(std::string_view text) const {
        const auto& bucket = by_first_byte_[static_cast<unsigned char>(text[0])];
        const auto it = std::ranges::find_if(bucket, [&](const Entry& e) { return text.starts_with(e.content); });
        return it == bucket.end() ? nullptr : &*it;
    }
    /// The bytes of the last code point; `s` is not empty.
    static std::string_view last_of(std::string_view s) {
        std::size_t n = 1;
        while (n < std::min<std::size_t>(4, s.size()) && (static_cast<unsigned char>(s[s.size() - n]) & 0xc0) == 0x80)
            ++n;
        return s.substr(s.size() - n);
    }
    static bool begins_with_word(std::string_view s) { return !s.empty() && unicode::is_word(unicode::take(s)); }
    static bool ends_in_word(std::string_view s) { return !s.empty() && begins_with_word(last_of(s)); }
    static std::string_view without_leading_space(std::string_view s) {
        for (std::string_view rest = s; !rest.empty() && unicode::is_space(unicode::take(rest)); s = rest) {
        }
        return s;
    }
    static std::string_view without_trailing_space(std::string_view s) {
        while (!s.empty()) {
            std::string_view last = last_of(s);
            const std::size_t size = last.size();
            if (!unicode::is_space(unicode::take(last))) break;
            s.remove_suffix(size);
        }
        return s;
    }

    std::array<std::vector<Entry>, 256> by_first_byte_;
};

}  // namespace inlay::inline INLAY_ABI::io
