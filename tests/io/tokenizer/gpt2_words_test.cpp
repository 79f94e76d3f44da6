// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/tokenizer/gpt2_words.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;

Words words(std::string_view text) {
    Words out;
    inlay::io::for_each_gpt2_word(text, [&](std::string_view w) { out.emplace_back(w); });
    return out;
}

TEST(Gpt2Words, TakeOneBlankBeforeThem) {
    EXPECT_EQ(words("a  bc 12!?"), (Words{"a", " ", " bc", " 12", "!?"}));
    EXPECT_EQ(words("a\n\nb \t c"), (Words{"a", "\n", "\n", "b", " \t", " c"}));
    EXPECT_EQ(words(" \n "), (Words{" \n "}));
    EXPECT_EQ(words("\tx"), (Words{"\t", "x"}));
    EXPECT_EQ(words(""), Words{});
}

TEST(Gpt2Words, EndInContractions) {
    EXPECT_EQ(words("we've 's!'s'S"), (Words{"we", "'ve", " '", "s", "!'", "s", "'", "S"}));
    EXPECT_EQ(words("'tis"), (Words{"'t", "is"}));
}

}  // namespace
