// SPDX-License-Identifier: Apache-2.0
/// Words and files that are not there: the nearest one that is, for the error.
#pragma once

#include <inlay/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace program {

/// Fewest letters added, left out, exchanged or swapped with their neighbour that make one word of the other.
inline std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = (std::min)({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = (std::min)(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

/// The nearest of the words, where a third of the letters or fewer differ; else empty.
inline std::string nearest(std::string_view word, const std::vector<std::string>& words) {
    std::string best;
    std::size_t least = (std::max)(word.size() / 3, std::size_t(1)) + 1;
    for (const std::string& w : words)
        if (const std::size_t d = distance(word, w); d < least) least = d, best = w;
    return best;
}

/// "fp32, fp16 or bf16".
inline std::string one_of(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& w : words) all += (all.empty() ? "" : &w == &words.back() ? " or " : ", ") + w;
    return all;
}

/// The end of an error: "; did you mean --prompt?", or nothing.
inline std::string suggestion(std::string_view word, const std::vector<std::string>& words) {
    const std::string near = nearest(word, words);
    return near.empty() ? "" : "; did you mean " + near + "?";
}

/// Throws where there is nothing at the path, with the file or folder of the nearest name beside it.
inline void require_exists(const std::string& option, const std::filesystem::path& path) {
    if (path.empty() || std::filesystem::exists(path)) return;
    const std::filesystem::path given = path.has_filename() ? path : path.parent_path();
    const std::filesystem::path folder = given.has_parent_path() ? given.parent_path() : ".";
    std::vector<std::string> names;
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);  // of equals the first, in every order of the folder
    std::string near = nearest(given.filename().string(), names);
    if (!near.empty()) near = "; did you mean '" + (given.parent_path() / near).string() + "'?";
    inlay::fail(option + ": there is no '" + path.string() + "'" + near);
}

}  // namespace program
