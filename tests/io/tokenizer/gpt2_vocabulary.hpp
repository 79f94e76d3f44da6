// SPDX-License-Identifier: Apache-2.0
/// GPT-2's vocabulary for tests, made of gpt2.tiktoken (of PyPI's openai-whisper, whisper/assets), which is not part of
/// the repository: it is looked for under INLAY_DATA, then beside the repository.
#pragma once

#include "io/folder.hpp"

#include <inlay/io/json_file.hpp>
#include <inlay/io/tokenizer/byte_symbols.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace test {

inline fs::path tiktoken_file() {
    const char* data = std::getenv("INLAY_DATA");
    const auto beside = fs::path(inlay_test::tests_folder()) / ".." / ".." / "shared" / "data";
    return (data ? fs::path(data) : beside) / "gpt2.tiktoken";
}

inline std::string from_base64(std::string_view text) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    unsigned bits = 0, count = 0;
    for (const char c : text) {
        if (c == '=') break;
        bits = bits << 6 | static_cast<unsigned>(digits.find(c));
        if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8) & 0xff);
    }
    return out;
}

struct Gpt2Vocabulary {
    std::string vocabulary, merges;  ///< vocab.json and merges.txt
};

/// Ids are ranks. A token's merge is of the two parts that merges of lesser ranks leave of its bytes.
inline Gpt2Vocabulary make_gpt2_vocabulary() {
    std::vector<std::string> tokens;
    std::unordered_map<std::string, std::size_t> ranks;
    std::istringstream lines(get(tiktoken_file()));
    for (std::string token, rank; lines >> token >> rank;) {
        tokens.push_back(from_base64(token));
        ranks[tokens.back()] = tokens.size() - 1;
    }
    const auto spell = [](std::string_view bytes) {
        std::string out;
        for (const char b : bytes) out += inlay::io::byte_symbol(static_cast<unsigned char>(b));
        return out;
    };
    std::string merges = "#version: 0.2\n";
    inlay::io::Json vocabulary = inlay::io::Json::object();
    for (std::size_t id = 0; id < tokens.size(); ++id) {
        vocabulary[spell(tokens[id])] = id;
        std::vector<std::string> parts;
        for (const char b : tokens[id]) parts.emplace_back(1, b);
        while (parts.size() > 2) {
            std::size_t best = id, at = 0;
            for (std::size_t i = 0; i + 1 < parts.size(); ++i)
                if (const auto it = ranks.find(parts[i] + parts[i + 1]); it != ranks.end() && it->second < best)
                    best = it->second, at = i;
            parts[at] += parts[at + 1];
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        }
        if (parts.size() == 2) merges += spell(parts[0]) + " " + spell(parts[1]) + "\n";
    }
    vocabulary["<|endoftext|>"] = tokens.size();
    return {vocabulary.dump(), merges};
}

}  // namespace test

#define NEED_TIKTOKEN()                           \
    if (!test::fs::exists(test::tiktoken_file())) \
    GTEST_SKIP() << "GPT-2's vocabulary is not there: " << test::tiktoken_file() << " (set INLAY_DATA to its folder)"
