// SPDX-License-Identifier: Apache-2.0
/// Cuts a normalised prompt into the words that CLIP encodes one by one.
#pragma once

#include <inlay/io/tokenizer/unicode.hpp>

#include <string>
#include <string_view>

namespace inlay::inline INLAY_ABI::io {

/// Calls `emit` with each match of
///     <\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+
/// from the left; what lies between matches is dropped. The first two alternatives come out as "<|", the letters and
/// "|>": the reference cuts its words once more by GPT-2's pattern, which has no such markers and changes nothing else.
template <class Emit>
void for_each_clip_word(std::string_view text, const Emit& emit) {
    enum class Kind { space, letter, number, other };
    const auto kind = [](char32_t c) {
        if (unicode::is_letter(c)) return Kind::letter;
        if (unicode::is_number(c)) return Kind::number;
        return unicode::is_space(c) ? Kind::space : Kind::other;
    };
    while (!text.empty()) {
        if (text.starts_with("<|startoftext|>") || text.starts_with("<|endoftext|>")) {
            const std::size_t close = text.find("|>");
            emit(text.substr(0, 2));
            emit(text.substr(2, close - 2));
            emit(text.substr(close, 2));
            text.remove_prefix(close + 2);
            continue;
        }
        std::size_t length = 0;
        for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
            if (text.starts_with(ending)) length = ending.size();
        if (length == 0) {
            std::string_view rest = text;
            const Kind first = kind(unicode::take(rest));
            while (first != Kind::number && !rest.empty()) {
                std::string_view after = rest;
                if (kind(unicode::take(after)) != first) break;
                rest = after;
            }
            length = text.size() - rest.size();
            if (first == Kind::space) {
                text.remove_prefix(length);
                continue;
            }
        }
        emit(text.substr(0, length));
        text.remove_prefix(length);
    }
}

}  // namespace inlay::inline INLAY_ABI::io
