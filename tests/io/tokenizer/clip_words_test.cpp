// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/tokenizer/clip_words.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> w;
    inlay::io::for_each_clip_word(text, [&](std::string_view s) { w.emplace_back(s); });
    return w;
}
using PackedChunk = std::vector<std::string>;

TEST(ClipWords, LettersTogetherNumbersAlone) {
    EXPECT_EQ(words("a cat"), (PackedChunk{"a", "cat"}));
    EXPECT_EQ(words("4k 35mm"), (PackedChunk{"4", "k", "3", "5", "mm"}));
    EXPECT_EQ(words("black & white!!"), (PackedChunk{"black", "&", "white", "!!"}));
    EXPECT_EQ(words("  \n "), PackedChunk{});
}
TEST(ClipWords, Endings) {
    EXPECT_EQ(words("it's we'll"), (PackedChunk{"it", "'s", "we", "'ll"}));
    EXPECT_EQ(words("rock 'n"), (PackedChunk{"rock", "'", "n"}));
}
TEST(ClipWords, MarkersAreCutOnceMore) {
    EXPECT_EQ(words("a<|endoftext|>b"), (PackedChunk{"a", "<|", "endoftext", "|>", "b"}));
}
TEST(ClipWords, LettersOfAllScripts) {
    EXPECT_EQ(words("Zürich 日本"), (PackedChunk{"Zürich", "日本"}));
}

}  // namespace
