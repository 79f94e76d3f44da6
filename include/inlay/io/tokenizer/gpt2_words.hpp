// SPDX-License-Identifier: Apache-2.0
/// Cuts a text into the words that GPT-2 encodes one by one; every byte is in one of them.
#pragma once

#include <inlay/io/tokenizer/unicode.hpp>

#include <string_view>

namespace inlay::inline INLAY_ABI::io {

/// Calls `emit` with each match of
///     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
/// from the left. `text` is UTF-8.
template <class Emit>
void for_each_gpt2_word(std::string_view text, const Emit& emit) {
    enum class Kind { space, letter, number, other };
    const auto take_kind = [](std::string_view& s) {
        const char32_t c = unicode::take(s);
        if (unicode::is_letter(c)) return Kind::letter;
        if (unicode::is_number(c)) return Kind::number;
        return unicode::is_space(c) ? Kind::space : Kind::other;
    };
    const auto word = [&]() -> std::size_t {
        for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
            if (text.starts_with(ending)) return ending.size();
        std::string_view rest = text;
        Kind first = take_kind(rest);
        if (text[0] == ' ' && !rest.empty()) {  // one blank belongs to the word behind it
            std::string_view after = rest;
            if (const Kind next = take_kind(after); next != Kind::space) first = next, rest = after;
        }
        std::string_view last = text;  // from the last character of the run on
        while (!rest.empty()) {
            std::string_view after = rest;
            if (take_kind(after) != first) break;
            last = rest;
            rest = after;
        }
        // White space leaves its last character to the word behind it, unless it has but one.
        const bool leaves = first == Kind::space && !rest.empty() && last.size() < text.size();
        return text.size() - (leaves ? last : rest).size();
    };
    while (!text.empty()) {
        const std::size_t length = word();
        emit(text.substr(0, length));
        text.remove_prefix(length);
    }
}

}  // namespace inlay::inline INLAY_ABI::io
