// SPDX-License-Identifier: Apache-2.0
#include <inlay/core/error.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <exception>
#include <string>
#include <type_traits>

namespace {

using inlay::Error;
using inlay::fail;
using inlay::require;

static_assert(std::is_base_of_v<std::exception, Error>);

template <class... Parts>
std::string sentence(const Parts&... parts) {
    try {
        require(false, parts...);
    } catch (const Error& e) {
        return e.what();
    }
    return "no error";
}

TEST(Error, OpensWithTheLibrary) {
    try {
        fail("the axis is 3");
        FAIL() << "no error";
    } catch (const std::exception& e) {
        EXPECT_STREQ(e.what(), "inlay: the axis is 3");
    }
    EXPECT_THROW(fail(""), Error);
}

TEST(Error, JoinsItsParts) {
    const std::string name = "softmax";
    const char* axis = "axis";
    EXPECT_EQ(sentence("one"), "inlay: one");
    EXPECT_EQ(sentence(name, ": ", axis, ' ', 3, " of ", std::size_t(2)), "inlay: softmax: axis 3 of 2");
    EXPECT_EQ(sentence('a', 'b'), "inlay: ab");  // not the sum of two characters
}
TEST(Error, WritesNumbersInFull) {
    EXPECT_EQ(sentence(std::numeric_limits<std::int64_t>::min()), "inlay: -9223372036854775808");
    EXPECT_EQ(sentence(std::numeric_limits<std::uint64_t>::max()), "inlay: 18446744073709551615");
    EXPECT_EQ(sentence(-1, ' ', 0u), "inlay: -1 0");
    EXPECT_EQ(sentence(0.5, ' ', 1e-6, ' ', 1000.0, ' ', std::numeric_limits<double>::max()),
              "inlay: 0.5 1e-06 1000 1.79769e+308");
}

TEST(Error, NothingIsThrownOrFormattedWhereAllIsWell) {
    EXPECT_NO_THROW(require(true, "never"));
    EXPECT_NO_THROW(require(true, static_cast<const char*>(nullptr)));  // formatted, it would throw
}

}  // namespace
