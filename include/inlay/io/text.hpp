// SPDX-License-Identifier: Apache-2.0
/// Names, paths and shapes from files, as error sentences print them.
#pragma once

#include <inlay/core/config.hpp>
#include <inlay/core/extents.hpp>

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

using Shape = std::vector<index_t>;

/// `name` in quotes, on one line and at most 120 bytes long: names come from unchecked files.
inline std::string quote(std::string_view name) {
    constexpr std::size_t longest = 120;
    std::string out = "'";
    for (const char c : name.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        out += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
    if (name.size() > longest) out += "...";
    return out + "'";
}
/// A path in full. A template, so that a string does not become a path on its way here.
template <std::same_as<std::filesystem::path> Path>
std::string quote(const Path& path) {
    return "'" + path.native() + "'";
}

/// "[320, 4, 3, 3]"
inline std::string text(std::span<const index_t> shape) {
    std::string s = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
    return s + "]";
}

}  // namespace inlay::inline INLAY_ABI::io
