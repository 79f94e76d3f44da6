// SPDX-License-Identifier: Apache-2.0
/// The one exception of Inlay. Its sentence names the thing, what was expected and what was found.
#pragma once

#include <inlay/core/config.hpp>

#include <stdexcept>
#include <string>
#include <type_traits>

namespace inlay::inline INLAY_ABI {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws `Error("inlay: " + sentence)`.
[[noreturn]] inline void fail(const std::string& sentence) { throw Error("inlay: " + sentence); }

namespace detail {

/// A piece of a sentence, as it was given: text that outlives the piece, or a number.
struct Piece {
    const char* text = nullptr;
    char character = 0;
    enum { is_text, is_character, is_signed, is_unsigned, is_real } kind = is_text;
    long long number = 0;
    double real = 0;

    Piece(const char* s) : text(s) {}
    Piece(const std::string& s) : text(s.c_str()) {}
    Piece(char c) : character(c), kind(is_character) {}
    template <class T>
        requires std::is_arithmetic_v<T>
    Piece(T x) : kind(std::is_floating_point_v<T> ? is_real : std::is_signed_v<T> ? is_signed : is_unsigned) {
        if constexpr (std::is_floating_point_v<T>) real = x;
        else number = static_cast<long long>(x);
    }

    std::string str() const {
        switch (kind) {
            case is_text: return text;
            case is_character: return std::string(1, character);
            case is_signed: return std::to_string(number);
            case is_unsigned: return std::to_string(static_cast<unsigned long long>(number));
            default: return std::to_string(real);
        }
    }
};
/// Throws what the pieces say together.
[[noreturn]] inline void fail_saying(const Piece* pieces, int n) {
    std::string sentence;
    for (int i = 0; i < n; ++i) sentence += pieces[i].str();
    fail(sentence);
}

}  // namespace detail

/// Fails with the concatenation of `parts` unless `ok`. The parts are only formatted on failure, by one function for
/// all: there are hundreds of these.
template <class... Parts>
void require(bool ok, const Parts&... parts) {
    if (ok) return;
    const detail::Piece pieces[] = {parts...};
    detail::fail_saying(pieces, sizeof...(Parts));
}

}  // namespace inlay::inline INLAY_ABI
