// SPDX-License-Identifier: Apache-2.0
/// Sentences as token ids, which a tokenizer has made: a line each, ids between spaces.
#pragma once

#include "config.hpp"

#include <inlay/io/mapped_file.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace minilm {

using Sentence = std::vector<std::int32_t>;

/// The ids of one line. `source` opens the error where there is none, one too many, or one that the model has not.
inline Sentence read_ids(std::string_view line, const std::string& source, const Config& c) {
    constexpr const char* spaces = " \t\r";
    Sentence ids;
    for (auto at = line.find_first_not_of(spaces); at != line.npos; at = line.find_first_not_of(spaces, at)) {
        const std::string_view word = line.substr(at, line.find_first_of(spaces, at) - at);
        std::int32_t id = -1;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
        inlay::require(error == std::errc() && end == word.data() + word.size() && id >= 0 && id < c.vocabulary, source,
                       ": '", std::string(word.substr(0, 40)), "' is no token of the model, expected 0 to ",
                       c.vocabulary - 1);
        ids.push_back(id);
        at += word.size();
    }
    inlay::require(!ids.empty() && static_cast<index_t>(ids.size()) <= c.positions, source, ": a sentence of ",
                   ids.size(), " tokens, expected 1 to ", c.positions);
    return ids;
}

/// The sentences of a file; empty lines at its end are none.
inline std::vector<Sentence> read_sentences(const std::filesystem::path& file, const Config& c) {
    const inlay::io::MappedFile mapped(file);
    std::string_view text = mapped.text();
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    std::vector<Sentence> all;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = (std::min)(text.find('\n', at), text.size());
        const std::string source = file.string() + ": line " + std::to_string(all.size() + 1);
        all.push_back(read_ids(text.substr(at, end - at), source, c));
        at = end + 1;
    }
    inlay::require(!all.empty(), file.string(), " holds no sentence, expected token ids, a line a sentence");
    return all;
}

}  // namespace minilm
