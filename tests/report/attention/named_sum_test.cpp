// SPDX-License-Identifier: Apache-2.0
/// Sums of named numbers: their text, their bounds, rounding over one denominator, and the extreme of several.
#include <inlay/report/attention/named_sum.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay::detail;

const NamedSum i("i", true, 0, 9), n("n", true, 1, 100), x("x", false);

TEST(NamedSum, Text) {
    EXPECT_EQ(NamedSum().text(), "0");
    EXPECT_EQ(NamedSum(-2.5).text(), "-2.5");
    EXPECT_EQ(i.plus(-3).text(), "i - 3");
    EXPECT_EQ(i.times(-1).add(n).text(), "n - i");
    EXPECT_EQ(i.times(2).add(i).plus(1).text(), "3 i + 1");
    EXPECT_EQ(i.times(2).add(i, -2).text(), "0");
}
TEST(NamedSum, Bounds) {
    const NamedSum s = i.times(-2).add(n).plus(5);
    EXPECT_EQ(s.least, 1 - 18 + 5);
    EXPECT_EQ(s.most, 100 + 5);
    const NamedSum none = i.times(2).add(i, -2).plus(4);
    EXPECT_EQ(none.least, 4);
    EXPECT_EQ(none.most, 4);
    EXPECT_TRUE(NamedSum::at_least(i.plus(1), i));
    EXPECT_TRUE(NamedSum::at_least(NamedSum(9), i));
    EXPECT_FALSE(NamedSum::at_least(NamedSum(8), i));
    EXPECT_FALSE(NamedSum::at_least(n, i));
}
TEST(NamedSum, WholeNumbersAreNotRounded) {
    EXPECT_EQ(rounded(i.times(3).plus(2), true).text(), "3 i + 2");
    EXPECT_EQ(rounded(i.times(1.0 / 6).add(i, 5.0 / 6), false).text(), "i");
}
TEST(NamedSum, Rounded) {
    EXPECT_EQ(rounded(NamedSum(2.5), false).text(), "2");
    EXPECT_EQ(rounded(NamedSum(2.5), true).text(), "3");
    EXPECT_EQ(rounded(i.plus(-1).times(1.0 / 3), false).text(), "floor((i - 1) / 3)");
    EXPECT_EQ(rounded(i.times(0.5), true).text(), "ceil(i / 2)");
    EXPECT_EQ(rounded(x, false).text(), "floor(x)");
    const NamedSum half = rounded(i.times(0.5), false);
    EXPECT_EQ(half.least, 0);
    EXPECT_EQ(half.most, 4);
    EXPECT_TRUE(half.whole());
}
TEST(NamedSum, Extreme) {
    EXPECT_EQ(extreme_text({i, n}, true), "max(i, n)");
    EXPECT_EQ(extreme_text({i, NamedSum(9)}, true), "9");
    EXPECT_EQ(extreme_text({NamedSum(9), i}, false), "i");
    EXPECT_EQ(extreme_text({i.plus(-3), n, i.plus(2)}, true), "max(n, i + 2)");
    EXPECT_EQ(extreme_text({i, i}, false), "i");
}

}  // namespace
