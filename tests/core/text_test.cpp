// SPDX-License-Identifier: Apache-2.0
#include <inlay/core/text.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace {

using inlay::decimal_text;
using inlay::Letters;
using inlay::Text;

static_assert((Text("a") + "bc" + 'd' + decimal_text(-12)) == "abcd-12");
static_assert(Letters("one::two::three").rfind("::") == 8 && Letters("one::two").find("::") == 3);

TEST(Text, IsWhatWasAppended) {
    Text t;
    EXPECT_TRUE(t.empty());
    EXPECT_STREQ(t.c_str(), "");
    std::string expected;
    for (int i = 0; i < 300; ++i) {
        t += decimal_text(i);
        t += ' ';
        expected += std::to_string(i) + ' ';
    }
    EXPECT_EQ(t, expected);
    EXPECT_STREQ(t.c_str(), expected.c_str());
    EXPECT_EQ(t.size(), expected.size());
    t += t;
    EXPECT_EQ(t, expected + expected);
}
TEST(Text, IsCopiedAndMoved) {
    Text a = "first";
    Text b = a;
    b += " and more";
    EXPECT_EQ(a, "first");
    EXPECT_EQ(b, "first and more");
    a = b;
    EXPECT_EQ(a, b);
    const Text c = std::move(a);
    EXPECT_EQ(c, "first and more");
    a = "again";
    EXPECT_EQ(a, "again");
    EXPECT_NE(a, c);
}
TEST(Text, ConvertsToTheStandardsTypesAndFromThem) {
    const Text t = std::string("a string");
    const std::string s = t;
    const std::string_view v = t;
    EXPECT_EQ(s, "a string");
    EXPECT_EQ(v, "a string");
    EXPECT_EQ(std::string(t), s);
    std::string more = "of ";
    more += t;
    more += Letters(t);
    EXPECT_EQ(more, "of a stringa string");
    EXPECT_EQ(std::string("of ") + t, "of a string");
    EXPECT_EQ(Text(std::string_view("view, cut").substr(0, 4)), "view");
    std::ostringstream o;
    o << t << ' ' << Letters("letters");
    EXPECT_EQ(o.str(), "a string letters");
}
TEST(Text, OfNumbers) {
    EXPECT_EQ(decimal_text(0), "0");
    EXPECT_EQ(decimal_text(1234567890u), "1234567890");
    EXPECT_EQ(decimal_text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(decimal_text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(Letters, AreFoundAndCut) {
    const Letters s = "Linear<Silu<Buf<0>>>";
    EXPECT_EQ(s.find("<"), 6u);
    EXPECT_EQ(s.rfind("<"), 15u);
    EXPECT_EQ(s.find("Gelu"), Letters::npos);
    EXPECT_EQ(s.rfind("Gelu"), Letters::npos);
    EXPECT_EQ(s.part(0, 6), "Linear");
    EXPECT_EQ(s.part(7, 4), "Silu");
    EXPECT_EQ(s.part(15), "<0>>>");
    EXPECT_TRUE(s.starts_with("Linear<"));
    EXPECT_FALSE(s.starts_with("Silu"));
    EXPECT_FALSE(Letters("Lin").starts_with(s));
}

}  // namespace
