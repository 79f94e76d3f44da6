// SPDX-License-Identifier: Apache-2.0
/// Results of the reference for single characters; whole prompts are compared in clip_tokenizer_test.cpp.
#include <inlay/io/tokenizer/unicode.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

namespace unicode = inlay::io::unicode;

TEST(Unicode, LowerCaseGoesByCodePoint) {
    EXPECT_EQ(unicode::lower("HELLO Wörld ÄÉ ŒÆ 123"), "hello wörld äé œæ 123");
    EXPECT_EQ(unicode::lower("ΣΊΣΥΦΟΣ"), "σίσυφοσ") << "no final sigma";
    EXPECT_EQ(unicode::lower("İI"), "i\u0307i");
    EXPECT_EQ(unicode::lower("ẞß"), "ßß");
    EXPECT_EQ(unicode::lower("\u1c89\U00010d65\ua7dc"), "\u1c8a\U00010d85\u019b") << "capitals of Unicode 16";
}

TEST(Unicode, ComposesCanonically) {
    EXPECT_EQ(unicode::nfc("e\u0301a\u0323\u0302"), "é\u1ead");
    EXPECT_EQ(unicode::nfc("a\u0302\u0323"), "\u1ead") << "marks are put in order first";
    EXPECT_EQ(unicode::nfc("\u1112\u1161\u11ab"), "\ud55c");
    EXPECT_EQ(unicode::nfc("\u212b \u2126 \u0958"), "\u00c5 \u03a9 \u0915\u093c");
    EXPECT_EQ(unicode::nfc("ﬁ ½"), "ﬁ ½") << "compatibility characters stay";
    EXPECT_EQ(unicode::nfc(std::string("a\0e\u0301", 5)), std::string("a\0\u00e9", 4));
    EXPECT_EQ(unicode::nfc("a\u1abf\u0301"), "a\u1abf\u0301") << "a mark that the reference does not know stops all";
    EXPECT_EQ(unicode::nfc(""), "");
}

TEST(Unicode, Classes) {
    for (const char32_t c : {U'a', U'Z', U'é', U'ß', U'ª', U'夕', U'가', U'क', U'\u02b0', U'\U0002ebf0'})
        EXPECT_TRUE(unicode::is_letter(c) && !unicode::is_number(c) && !unicode::is_space(c)) << static_cast<int>(c);
    for (const char32_t c : {U'0', U'9', U'½', U'²', U'Ⅷ', U'१', U'①', U'\U00010d40'})
        EXPECT_TRUE(unicode::is_number(c) && !unicode::is_letter(c) && !unicode::is_space(c)) << static_cast<int>(c);
    for (const char32_t c : {U' ', U'\t', U'\n', U'\v', U'\f', U'\r', U'\u0085', U'\u00a0', U'\u1680', U'\u2003',
                             U'\u2028', U'\u2029', U'\u202f', U'\u205f', U'\u3000'})
        EXPECT_TRUE(unicode::is_space(c) && !unicode::is_letter(c) && !unicode::is_number(c)) << static_cast<int>(c);
    for (const char32_t c : {U'!', U'_', U'\u0301', U'\u200b', U'\u200d', U'\ufeff', U'\u180e', U'\x1c', U'😀', U'\0'})
        EXPECT_TRUE(!unicode::is_letter(c) && !unicode::is_number(c) && !unicode::is_space(c)) << static_cast<int>(c);
}

TEST(Unicode, IllFormedTextIsAnError) {
    for (const char* bad :
         {"\xff", "a\x80", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "\xf8"}) {
        EXPECT_NE(test::error_of([&] { unicode::nfc(bad); }).find("is not valid UTF-8"), std::string::npos);
        EXPECT_NE(test::error_of([&] { unicode::lower(bad); }).find("is not valid UTF-8"), std::string::npos);
        for (const std::string& text : {std::string(bad), bad + std::string("b"), std::string("é\u3000") + bad + " b"})
            EXPECT_NE(test::error_of([&] { unicode::require_well_formed(text); }).find("is not valid UTF-8"),
                      std::string::npos);
    }
    EXPECT_EQ(test::error_of([] { unicode::nfc("ab\xff!"); }),
              "inlay: the text is not valid UTF-8 2 bytes before its end");
    for (const char* good : {"", "a", "aé夕😀", "\u3000 \u00a0", "\U0010ffff"})
        EXPECT_EQ(test::error_of([&] { unicode::require_well_formed(good); }), "no error");
}

/// The examples of the Unicode standard for U+FFFD substitution of maximal subparts (section 3.9, tables 3-8 to 3-11).
TEST(Unicode, RepairsByMaximalSubparts) {
    const std::string r = "\ufffd";
    EXPECT_EQ(unicode::repaired("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41"), r + r + r + r + r + r + r + r + "A");
    EXPECT_EQ(unicode::repaired("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41"), r + r + r + r + r + r + r + r + "A");
    EXPECT_EQ(unicode::repaired("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42"), r + r + r + r + r + "A" + r + r + "B");
    EXPECT_EQ(unicode::repaired("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"), r + r + r + r + "A");
    EXPECT_EQ(unicode::repaired("aé夕😀"), "aé夕😀");
    EXPECT_EQ(unicode::repaired("\xf0\x9f"), r);
}

/// `\w` of the package tokenizers, which was compared with this at every code point.
TEST(Unicode, WordsHaveLettersMarksDigitsConnectorsAndJoiners) {
    for (const char32_t c : {U'a', U'É', U'日', U'_', U'\u203f', U'7', U'\u0663', U'\u2167', U'\u0301', U'\u200d', U'\u24d0',
                             U'\u0897', U'\U0001f130'})
        EXPECT_TRUE(unicode::is_word(c)) << static_cast<std::uint32_t>(c);
    for (const char32_t c : {U' ', U'-', U'.', U'\'', U'\u00bd', U'\u00b2', U'\u200b', U'\u2460', U'\U0001f600', U'\u00a0'})
        EXPECT_FALSE(unicode::is_word(c)) << static_cast<std::uint32_t>(c);
}

}  // namespace
