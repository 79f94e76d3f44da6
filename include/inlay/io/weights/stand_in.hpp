// SPDX-License-Identifier: Apache-2.0
/// Stand-ins that a download leaves in a file's place (a Git LFS pointer, a web server's page), and the marks of
/// encodings in front of text.
#pragma once

#include <inlay/core/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace inlay::inline INLAY_ABI::io {

namespace detail {

inline std::string_view without_mark(std::string_view text) {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    return text.substr(text.starts_with(mark) ? mark.size() : 0);
}

}  // namespace detail

/// The text without the byte order mark that some editors put in front of UTF-8. Throws for UTF-16; `source` opens the
/// error.
inline std::string_view utf8_text(std::string_view text, const std::string& source) {
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        fail(source + " is text in UTF-16, expected UTF-8");
    return detail::without_mark(text);
}

/// The end of a sentence that names the stand-in; empty for any other bytes.
inline std::string stand_in(std::string_view bytes) {
    bytes = bytes.substr(0, 1024);
    if (bytes.starts_with("version https://git-lfs.github.com/spec/")) {
        constexpr std::string_view field = "\nsize ";
        const std::size_t at = bytes.find(field);
        std::string_view size = at == bytes.npos ? "" : bytes.substr(at + field.size(), 20);
        size = size.substr(0, size.find_first_not_of("0123456789"));
        return "is a Git LFS pointer" + (size.empty() ? "" : " to " + std::string(size) + " bytes") +
               ", expected the file itself: 'git lfs pull' fetches it";
    }
    bytes = detail::without_mark(bytes);
    bytes.remove_prefix((std::min)(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    for (const std::string_view front : {"<!doctype html", "<html", "<?xml"})
        if (std::ranges::equal(bytes.substr(0, front.size()), front, {}, lower))
            return std::string("is an ") + (front == "<?xml" ? "XML" : "HTML") +
                   " page, expected the file itself: download it anew";
    return "";
}

}  // namespace inlay::inline INLAY_ABI::io
