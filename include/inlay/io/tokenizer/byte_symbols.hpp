// SPDX-License-Identifier: Apache-2.0
/// The printable characters that stand for bytes in byte-level BPE vocabularies (GPT-2, CLIP), and the mark of a word's
/// end.
#pragma once

#include <inlay/io/tokenizer/unicode.hpp>

#include <array>
#include <string>
#include <string_view>

namespace inlay::inline INLAY_ABI::io {

inline constexpr std::string_view word_end = "</w>";

/// Bytes that print as themselves in Latin-1; the others stand from U+0100 on.
constexpr bool byte_prints(int b) { return (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae; }

/// The 256 bytes in the order of CLIP's vocabulary: first those that print.
constexpr std::array<unsigned char, 256> byte_order() {
    std::array<unsigned char, 256> order{};
    std::size_t n = 0;
    for (const bool prints : {true, false})
        for (int b = 0; b < 256; ++b)
            if (byte_prints(b) == prints) order[n++] = static_cast<unsigned char>(b);
    return order;
}

/// The character of every byte.
constexpr std::array<char32_t, 256> byte_symbols() {
    std::array<char32_t, 256> symbols{};
    char32_t next = 0x100;
    for (int b = 0; b < 256; ++b)
        symbols[static_cast<std::size_t>(b)] = byte_prints(b) ? static_cast<char32_t>(b) : next++;
    return symbols;
}

inline std::string byte_symbol(unsigned char b) {
    static constexpr auto symbols = byte_symbols();
    std::string s;
    unicode::append(s, symbols[b]);
    return s;
}

/// The bytes that the characters of a token stand for. A token with a character that stands for none, which only an
/// added one has, makes its own bytes.
inline std::string bytes_of_symbols(std::string_view token) {
    constexpr std::size_t above = 0x200;  // no symbol lies there
    static constexpr auto byte_of = [] {
        std::array<int, above> table{};
        table.fill(-1);
        const auto symbols = byte_symbols();
        for (int b = 0; b < 256; ++b) table[symbols[static_cast<std::size_t>(b)]] = b;
        return table;
    }();
    std::string out;
    for (std::string_view rest = token; !rest.empty();) {
        const char32_t c = unicode::take(rest);
        if (c >= above || byte_of[c] < 0) return std::string(token);
        out += static_cast<char>(byte_of[c]);
    }
    return out;
}

}  // namespace inlay::inline INLAY_ABI::io
