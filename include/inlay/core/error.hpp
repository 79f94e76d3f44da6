// SPDX-License-Identifier: Apache-2.0
/// The one exception of Inlay. Its sentence names the thing, what was expected and what was found.
#pragma once

#include <inlay/core/text.hpp>

#include <cstdio>
#include <exception>
#include <type_traits>

namespace INLAY_EXCEPTIONS {

struct Error : std::exception {
    explicit Error(Letters sentence) : sentence_(copy_of(sentence)) {}
    Error(const Error& e) : std::exception(e), sentence_(copy_of(e.sentence_)) {}
    Error& operator=(Error e) noexcept {
        std::swap(sentence_, e.sentence_);
        return *this;
    }
    ~Error() override { delete[] sentence_; }
    const char* what() const noexcept override { return sentence_; }

private:
    static const char* copy_of(Letters s) {
        char* const c = new char[s.size() + 1];
        for (std::size_t i = 0; i < s.size(); ++i) c[i] = s[i];
        c[s.size()] = 0;
        return c;
    }

    const char* sentence_;  ///< not a Text, which is another type in each unit
};

}  // namespace INLAY_EXCEPTIONS

namespace inlay::inline INLAY_ABI {

/// Throws `Error("inlay: " + sentence)`.
[[noreturn]] inline void fail(Letters sentence) { throw Error("inlay: " + sentence); }

namespace detail {

/// A piece of a sentence, as it was given: text that outlives the piece, or a number.
struct Piece {
    Letters text;
    char character = 0;
    enum { is_text, is_character, is_signed, is_unsigned, is_real } kind = is_text;
    long long number = 0;
    double real = 0;

    Piece(const char* s) : text(s) {}
    Piece(const Text& s) : text(s) {}
    Piece(Letters s) : text(s) {}
    template <StandardText S>
    Piece(const S& s) : text(s) {}
    Piece(char c) : character(c), kind(is_character) {}
    template <class T>
        requires std::is_arithmetic_v<T>
    Piece(T x) : kind(std::is_floating_point_v<T> ? is_real : std::is_signed_v<T> ? is_signed : is_unsigned) {
        if constexpr (std::is_floating_point_v<T>) real = x;
        else number = static_cast<long long>(x);
    }

    void append_to(Text& sentence) const {
        switch (kind) {
            case is_text: sentence += text; return;
            case is_character: sentence += character; return;
            case is_signed: sentence += decimal_text(number); return;
            case is_unsigned: sentence += decimal_text(static_cast<unsigned long long>(number)); return;
            case is_real: break;
        }
        char digits[32];
        std::snprintf(digits, sizeof digits, "%g", real);
        sentence += digits;
    }
};
/// Throws the sentence that the pieces form.
[[noreturn]] inline void fail_with(const Piece* pieces, int n) {
    Text sentence;
    for (int i = 0; i < n; ++i) pieces[i].append_to(sentence);
    fail(sentence);
}

}  // namespace detail

/// Fails with the concatenation of `parts` unless `ok`. The parts are only formatted on failure, by one function for
/// all: there are hundreds of these.
template <class... Parts>
void require(bool ok, const Parts&... parts) {
    if (ok) return;
    const detail::Piece pieces[] = {parts...};
    detail::fail_with(pieces, sizeof...(Parts));
}

}  // namespace inlay::inline INLAY_ABI
