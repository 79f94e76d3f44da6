// SPDX-License-Identifier: Apache-2.0
/// CLIP's vocabulary for tests, made of its merges, which are not part of the repository: they are looked for under
/// INLAY_DATA, then beside the repository.
#pragma once

#include "io/folder.hpp"

#include <inlay/io/tokenizer/byte_symbols.hpp>
#include <inlay/io/json_file.hpp>

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <string>

namespace test {

inline fs::path merges_file() {
    const char* data = std::getenv("INLAY_DATA");
    const auto beside = fs::path(inlay_test::tests_folder()) / ".." / ".." / "shared" / "data";
    const auto folder = data ? fs::path(data) : beside;
    return folder / "clip_bpe_merges.txt.gz";
}

inline std::string unpacked(const fs::path& path) {
    const gzFile file = gzopen(path.c_str(), "rb");
    std::string out, block(1 << 16, '\0');
    for (int n; (n = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;)
        out.append(block, 0, static_cast<std::size_t>(n));
    gzclose(file);
    return out;
}

/// vocab.json and merges.txt.
struct ClipVocabulary {
    std::string vocabulary, merges;
};

/// As openai/CLIP's simple_tokenizer builds it: bytes, bytes that end a word, lines 2 to 48895 of the merges, specials.
inline ClipVocabulary make_clip_vocabulary() {
    const std::string text = unpacked(merges_file());
    std::string merges = "#version: 0.2\n";
    std::size_t begin = text.find('\n') + 1;
    inlay::io::Json vocabulary = inlay::io::Json::object();
    int id = 0;
    for (const char* end : {"", "</w>"})
        for (const unsigned char b : inlay::io::byte_order()) vocabulary[inlay::io::byte_symbol(b) + end] = id++;
    for (int i = 0; i < 49152 - 256 - 2; ++i) {
        const std::size_t end = text.find('\n', begin), space = text.find(' ', begin);
        vocabulary[text.substr(begin, space - begin) + text.substr(space + 1, end - space - 1)] = id++;
        merges += text.substr(begin, end + 1 - begin);
        begin = end + 1;
    }
    vocabulary["<|startoftext|>"] = id++;
    vocabulary["<|endoftext|>"] = id++;
    return {vocabulary.dump(), merges};
}

inline const ClipVocabulary& clip_vocabulary() {
    static const ClipVocabulary made = make_clip_vocabulary();
    return made;
}

}  // namespace test

#define NEED_MERGES()                           \
    if (!test::fs::exists(test::merges_file())) \
    GTEST_SKIP() << "CLIP's merges are not there: " << test::merges_file() << " (set INLAY_DATA to their folder)"
