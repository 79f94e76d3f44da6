// SPDX-License-Identifier: Apache-2.0
/// Numbers of the command line: read whole and within their range, or refused in one sentence.
#pragma once

#include <inlay/core/error.hpp>

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace numbers {

/// All of `text` as a number, or nothing.
template <class N>
std::optional<N> parsed(std::string_view text) {
    N n{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    if constexpr (std::floating_point<N>)
        if (!std::isfinite(n)) return {};
    return n;
}

/// A number from `least` to `most`; `option` opens the error.
template <class N>
N within(const std::string& option, const std::string& text, N least, N most) {
    const std::optional<N> n = parsed<N>(text);
    inlay::require(n && *n >= least && *n <= most, option, " is ", text.empty() ? "empty" : text, ", expected ",
                   std::integral<N> ? "a whole number" : "a number", " from ", least, " to ", most);
    return *n;
}

/// As elsewhere in the field, −1 is a random seed: nothing.
inline std::optional<std::uint64_t> seed(const std::string& text) {
    if (text == "-1") return {};
    const auto n = parsed<std::uint64_t>(text);
    inlay::require(n.has_value(), "--seed is ", text.empty() ? "empty" : text, ", expected -1 (random) or a whole ",
                   "number from 0 to ", UINT64_MAX);
    return n;
}

/// The number of "cuda:1" where the device is "cuda"; of "cuda" alone it is 0.
inline std::optional<int> of_device(const std::string& text, const std::string& device) {
    if (text == device) return 0;
    if (!text.starts_with(device + ":")) return {};
    const std::string number = text.substr(device.size() + 1);
    if (number.empty() || number.size() > 4 || number.find_first_not_of("0123456789") != number.npos) return {};
    return std::stoi(number);
}

}  // namespace numbers
