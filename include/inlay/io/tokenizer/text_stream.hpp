// SPDX-License-Identifier: Apache-2.0
/// Text from bytes that come in parts, as tokens spell them: a character whose bytes have not all come is held back.
#pragma once

#include <inlay/io/tokenizer/unicode.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace inlay::inline INLAY_ABI::io {

/// All that `add` and `finish` return, one after the other, is `unicode::repaired` of all bytes.
class TextStream {
public:
    /// The text that `bytes` complete: well-formed UTF-8, perhaps empty.
    std::string add(std::string_view bytes) {
        held_ += bytes;
        const std::size_t complete = held_.size() - unfinished(held_);
        std::string out = unicode::repaired(std::string_view(held_).substr(0, complete));
        held_.erase(0, complete);
        return out;
    }
    /// The rest: U+FFFD where the last character is unfinished, else nothing. The stream is then as new.
    std::string finish() {
        std::string out = unicode::repaired(held_);
        held_.clear();
        return out;
    }

private:
    /// Bytes at the end of `s` with which a character begins that more bytes can complete: 0 to 3.
    static std::size_t unfinished(std::string_view s) {
        constexpr std::size_t replacement = 3;  // bytes of U+FFFD, which one fault becomes
        for (std::size_t n = 1; n <= std::min<std::size_t>(3, s.size()); ++n) {
            const std::string_view end = s.substr(s.size() - n);
            const auto lead = static_cast<unsigned char>(end[0]);
            const std::size_t whole = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
            if (lead >= 0xc2 && lead <= 0xf4 && n < whole && unicode::repaired(end).size() == replacement) return n;
        }
        return 0;
    }

    std::string held_;
};

}  // namespace inlay::inline INLAY_ABI::io
