// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/tokenizer/text_stream.hpp>

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace {

using inlay::io::TextStream;

TEST(TextStream, HoldsBackUnfinishedCharacters) {
    TextStream stream;
    EXPECT_EQ(stream.add("a\xf0\x9f"), "a");
    EXPECT_EQ(stream.add("\x98"), "");
    EXPECT_EQ(stream.add("\x80" "b\xc3"), "\xf0\x9f\x98\x80" "b");
    EXPECT_EQ(stream.finish(), "\xef\xbf\xbd");
    EXPECT_EQ(stream.finish(), "");
    EXPECT_EQ(stream.add("\xff"), "\xef\xbf\xbd");  // no byte behind it can mend it
}

TEST(TextStream, IsTheRepairedTextWhateverTheParts) {
    std::mt19937 random(5);
    constexpr std::string_view bytes("aZ\x80\x9f\xa0\xbf\xc1\xc2\xdf\xe0\xed\xef\xf0\xf4\xf5\xff", 16);
    for (int round = 0; round < 2000; ++round) {
        std::string all, streamed;
        TextStream stream;
        for (int part = 0; part < 6; ++part) {
            std::string some;
            for (std::size_t n = random() % 4; n > 0; --n) some += bytes[random() % bytes.size()];
            all += some;
            streamed += stream.add(some);
        }
        ASSERT_EQ(streamed + stream.finish(), inlay::io::unicode::repaired(all));
    }
}

}  // namespace
