// SPDX-License-Identifier: Apache-2.0
/// The Unicode that CLIP's tokenizer needs: NFC, lower case, letters, numbers, spaces. libutf8proc does it by Unicode
/// 15; the reference (tokenizers 0.23) mixes three other versions, and the short tables here are what sets them apart,
/// found by comparing every code point. They change no text that is written in a script encoded before 2014.
#pragma once

#include <inlay/core/error.hpp>

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace inlay::inline INLAY_ABI::io::unicode {

namespace detail {

struct Range {
    char32_t first, last;
};
constexpr bool within(std::span<const Range> ranges, char32_t c) {
    const auto it = std::ranges::upper_bound(ranges, c, {}, &Range::first);
    return it != ranges.begin() && c <= std::prev(it)->last;
}

/// Letters of Unicode 15.1 and 16.
inline constexpr Range new_letters[] = {{0x1c89, 0x1c8a},   {0xa7cb, 0xa7cd},   {0xa7da, 0xa7dc},   {0x105c0, 0x105f3},
                                        {0x10d4a, 0x10d65}, {0x10d6f, 0x10d85}, {0x10ec2, 0x10ec4}, {0x11380, 0x11389},
                                        {0x1138b, 0x1138b}, {0x1138e, 0x1138e}, {0x11390, 0x113b5}, {0x113b7, 0x113b7},
                                        {0x113d1, 0x113d1}, {0x113d3, 0x113d3}, {0x11bc0, 0x11be0}, {0x13460, 0x143fa},
                                        {0x16100, 0x1611d}, {0x16d40, 0x16d6c}, {0x18cff, 0x18cff}, {0x1e5d0, 0x1e5ed},
                                        {0x1e5f0, 0x1e5f0}, {0x2ebf0, 0x2ee5d}};
/// Numbers of Unicode 16.
inline constexpr Range new_numbers[] = {{0x10d40, 0x10d49}, {0x116d0, 0x116e3}, {0x11bf0, 0x11bf9}, {0x16130, 0x16139},
                                        {0x16d70, 0x16d79}, {0x1ccf0, 0x1ccf9}, {0x1e5f1, 0x1e5fa}};
/// Marks that came after Unicode 9, by which the reference normalises: to it they neither combine nor change places.
inline constexpr Range new_marks[] = {
    {0x7fd, 0x7fd},     {0x898, 0x89f},     {0x8ca, 0x8d3},     {0x9fe, 0x9fe},     {0xc3c, 0xc3c},
    {0xd3b, 0xd3c},     {0xeba, 0xeba},     {0x1715, 0x1715},   {0x1abf, 0x1ace},   {0x1df6, 0x1dfa},
    {0xa82c, 0xa82c},   {0x10d24, 0x10d27}, {0x10eab, 0x10eac}, {0x10efd, 0x10eff}, {0x10f46, 0x10f50},
    {0x10f82, 0x10f85}, {0x11070, 0x11070}, {0x1133b, 0x1133b}, {0x1145e, 0x1145e}, {0x11839, 0x1183a},
    {0x11930, 0x11930}, {0x11938, 0x11938}, {0x1193d, 0x1193e}, {0x11943, 0x11943}, {0x119e0, 0x119e0},
    {0x11a34, 0x11a34}, {0x11a47, 0x11a47}, {0x11a99, 0x11a99}, {0x11d42, 0x11d42}, {0x11d44, 0x11d45},
    {0x11d97, 0x11d97}, {0x11f41, 0x11f42}, {0x16ff0, 0x16ff1}, {0x1e08f, 0x1e08f}, {0x1e130, 0x1e136},
    {0x1e2ae, 0x1e2ae}, {0x1e2ec, 0x1e2ef}, {0x1e4ec, 0x1e4ef}};
/// Marks of Unicode 15.1 and 16.
inline constexpr Range newest_marks[] = {{0x897, 0x897},     {0x10d69, 0x10d6d}, {0x10efc, 0x10efc}, {0x113b8, 0x113c0},
                                         {0x113c2, 0x113c2}, {0x113c5, 0x113c5}, {0x113c7, 0x113ca}, {0x113cc, 0x113d0},
                                         {0x113d2, 0x113d2}, {0x113e1, 0x113e2}, {0x11f5a, 0x11f5a}, {0x1611e, 0x1612f},
                                         {0x1e5ee, 0x1e5ef}};
/// Symbols that count as alphabetic.
inline constexpr Range circled_letters[] = {
    {0x24b6, 0x24e9}, {0x1f130, 0x1f149}, {0x1f150, 0x1f169}, {0x1f170, 0x1f189}};
/// Capitals whose small letter came with Unicode 16 or 17.
struct Capitals {
    char32_t first, last, lower;  ///< `lower` is the small letter of `first`
};
inline constexpr Capitals new_capitals[] = {
    {0x1c89, 0x1c89, 0x1c8a}, {0xa7cb, 0xa7cb, 0x264},     {0xa7cc, 0xa7cc, 0xa7cd},     {0xa7ce, 0xa7ce, 0xa7cf},
    {0xa7d2, 0xa7d2, 0xa7d3}, {0xa7d4, 0xa7d4, 0xa7d5},    {0xa7da, 0xa7da, 0xa7db},     {0xa7dc, 0xa7dc, 0x19b},
    {0x10d50, 0x10d65, 0x10d70}, {0x16ea0, 0x16eb8, 0x16ebb}};

inline utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

}  // namespace detail

inline bool is_letter(char32_t c) {
    const auto k = detail::category(c);
    return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO) || detail::within(detail::new_letters, c);
}
inline bool is_number(char32_t c) {
    const auto k = detail::category(c);
    return (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO) || detail::within(detail::new_numbers, c);
}
/// A character of words, `\w`: alphabetic, a mark, a decimal digit, a connector or a joiner.
inline bool is_word(char32_t c) {
    const auto k = detail::category(c);
    return is_letter(c) || (k >= UTF8PROC_CATEGORY_MN && k <= UTF8PROC_CATEGORY_NL) || k == UTF8PROC_CATEGORY_PC ||
           c == 0x200c || c == 0x200d || detail::within(detail::new_numbers, c) ||
           detail::within(detail::newest_marks, c) || detail::within(detail::circled_letters, c);
}
/// Unicode's White_Space.
inline bool is_space(char32_t c) {
    const auto k = detail::category(c);
    return (c >= 9 && c <= 13) || c == 0x85 || (k >= UTF8PROC_CATEGORY_ZS && k <= UTF8PROC_CATEGORY_ZP);
}

/// Takes the first code point off `s`, which is not empty. Throws when it does not begin with well-formed UTF-8.
inline char32_t take(std::string_view& s) {
    utf8proc_int32_t c = 0;
    const auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(s.data()),
                                    static_cast<utf8proc_ssize_t>(std::min<std::size_t>(s.size(), 4)), &c);
    require(n > 0, "the text is not valid UTF-8 ", s.size(), " bytes before its end");
    s.remove_prefix(static_cast<std::size_t>(n));
    return static_cast<char32_t>(c);
}

/// Throws when `s` is not UTF-8 throughout.
inline void require_well_formed(std::string_view s) {
    while (!s.empty()) take(s);
}

inline void append(std::string& out, char32_t c) {
    utf8proc_uint8_t bytes[4];
    const auto n = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(n));
}

/// Small letters, code point by code point: no final sigma, and İ, alone of all, becomes two.
inline std::string lower(std::string_view s) {
    std::string out;
    out.reserve(s.size());
    while (!s.empty()) {
        char32_t c = take(s);
        const auto* capitals = std::ranges::find_if(detail::new_capitals,
                                                    [c](auto& r) { return c >= r.first && c <= r.last; });
        if (capitals != std::end(detail::new_capitals)) c = capitals->lower + (c - capitals->first);
        else if (c == 0x130) append(out, 'i'), c = 0x307;
        else c = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
        append(out, c);
    }
    return out;
}

/// Normalisation form C.
inline std::string nfc(std::string_view s) {
    std::string out;
    const auto flush = [&out](std::string_view part) {
        if (part.empty()) return;
        utf8proc_uint8_t* composed = nullptr;
        const auto n = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(part.data()),
                                    static_cast<utf8proc_ssize_t>(part.size()), &composed,
                                    static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
        const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
        require(n >= 0, "the text cannot be normalised: ", utf8proc_errmsg(n));
        out.append(reinterpret_cast<const char*>(composed), static_cast<std::size_t>(n));
    };
    // A mark unknown to the reference keeps its place, so what is before and after it is normalised apart.
    std::string_view rest = s;
    std::size_t begin = 0;
    while (!rest.empty()) {
        const std::size_t at = s.size() - rest.size();
        if (!detail::within(detail::new_marks, take(rest))) continue;
        const std::size_t end = s.size() - rest.size();
        flush(s.substr(begin, at - begin));
        out.append(s.substr(at, end - at));
        begin = end;
    }
    flush(s.substr(begin));
    return out;
}

/// Well-formed UTF-8 from any bytes: each maximal ill-formed part becomes one U+FFFD.
inline std::string repaired(std::string_view s) {
    std::string out;
    while (!s.empty()) {
        utf8proc_int32_t c = 0;
        const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(s.data());
        const auto n = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(std::min<std::size_t>(s.size(), 4)), &c);
        std::size_t used = n > 0 ? static_cast<std::size_t>(n) : 1;
        if (n <= 0) {
            // The longest start of a well-formed sequence (Unicode 3.9, table 3-7) is one fault.
            const auto in = [&](std::size_t i, int low, int high) {
                return i < s.size() && bytes[i] >= low && bytes[i] <= high;
            };
            const int b = bytes[0];
            const bool three = b >= 0xe0 && b <= 0xef, four = b >= 0xf0 && b <= 0xf4;
            const int low = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;  // no overlong forms
            const int high = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;  // no surrogates, nothing past U+10FFFF
            if ((three || four) && in(1, low, high)) used = four && in(2, 0x80, 0xbf) ? 3 : 2;
            c = 0xfffd;
        }
        append(out, static_cast<char32_t>(c));
        s.remove_prefix(used);
    }
    return out;
}

}  // namespace inlay::inline INLAY_ABI::io::unicode
