// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/tokenizer/byte_symbols.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

using namespace inlay::io;

TEST(ByteSymbols, EveryByteHasItsOwn) {
    std::set<std::string> symbols;
    for (int b = 0; b < 256; ++b) symbols.insert(byte_symbol(static_cast<unsigned char>(b)));
    EXPECT_EQ(symbols.size(), 256u);
}
// As the vocabularies of GPT-2 and CLIP spell them.
TEST(ByteSymbols, AreThoseOfTheVocabularies) {
    EXPECT_EQ(byte_symbol('a'), "a");
    EXPECT_EQ(byte_symbol('~'), "~");
    EXPECT_EQ(byte_symbol(' '), "\xc4\xa0");    // Ġ
    EXPECT_EQ(byte_symbol('\n'), "\xc4\x8a");   // Ċ
    EXPECT_EQ(byte_symbol(0), "\xc4\x80");      // Ā
    EXPECT_EQ(byte_symbol(0xad), "\xc5\x83");   // Ń, the last
    EXPECT_EQ(byte_order()[0], '!');
    EXPECT_EQ(byte_order()[188], 0);            // 188 print
}
TEST(ByteSymbols, BytesComeBack) {
    std::string all, spelled;
    for (int b = 0; b < 256; ++b) all += static_cast<char>(b), spelled += byte_symbol(static_cast<unsigned char>(b));
    EXPECT_EQ(bytes_of_symbols(spelled), all);
    EXPECT_EQ(bytes_of_symbols("\xe6\x97\xa5"), "\xe6\x97\xa5");    // stands for no byte
    EXPECT_EQ(bytes_of_symbols("\xc3\xa9"), "\xe9");
    EXPECT_EQ(bytes_of_symbols("\xc3\xa9 x"), "\xc3\xa9 x") << "a blank stands for none: the token is as it is";
}

}  // namespace
