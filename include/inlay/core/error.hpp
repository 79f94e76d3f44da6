// SPDX-License-Identifier: Apache-2.0
/// The one exception of Inlay. Its sentence names the thing, what was expected and what was found.
#pragma once

#include <inlay/core/config.hpp>

#include <stdexcept>
#include <string>

namespace inlay::inline INLAY_ABI {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws `Error("inlay: " + sentence)`.
[[noreturn]] inline void fail(const std::string& sentence) { throw Error("inlay: " + sentence); }

namespace detail {
inline std::string text(const std::string& s) { return s; }
inline std::string text(const char* s) { return s; }
inline std::string text(char c) { return std::string(1, c); }
template <class T>
    requires requires(T x) { std::to_string(x); }
std::string text(T x) {
    return std::to_string(x);
}
}  // namespace detail

/// Fails with the concatenation of `parts` unless `ok`. The parts are only formatted on failure.
template <class... Parts>
void require(bool ok, const Parts&... parts) {
    if (!ok) fail((detail::text(parts) + ...));
}

}  // namespace inlay::inline INLAY_ABI
