// SPDX-License-Identifier: Apache-2.0
/// Comparisons solved for the key: half lines of each slope, and the parts of an expression that do not depend on it.
#include <inlay/inlay.hpp>
#include <inlay/report/attention/key_bounds.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using namespace inlay;
using inlay::detail::KeyClause;
using inlay::detail::NamedSum;

using Scores = Env<4, 0>;
const Scores scores{{}, {}, {{2, 8, 16, 64}}};
using Query = QueryPosition;
using Key = Coord<3>;

template <class E, bool Strict>
std::string solved() {
    KeyClause c;
    inlay::detail::add_bound<E, Strict>(scores, c);
    std::string s;
    for (const NamedSum& b : c.begins) s += "from " + b.text();
    for (const NamedSum& b : c.ends) s += "to " + b.text();
    return s;
}

TEST(KeyBounds, Linear) {
    EXPECT_EQ((solved<Sub<Query, Key>, false>()), "to i + 1");
    EXPECT_EQ((solved<Sub<Query, Key>, true>()), "to i");
    EXPECT_EQ((solved<Sub<Key, Const<3>>, false>()), "from 3");
    EXPECT_EQ((solved<Sub<Key, Const<3>>, true>()), "from 4");
    EXPECT_EQ((solved<Add<Sub<Key, Query>, Const<5>>, true>()), "from i - 4");
}
/// Against a count of all keys: slope · key + row > 0, or ≥ 0.
TEST(KeyBounds, HalfLinesHoldTheKeysThatSolveThem) {
    std::mt19937 random(1);
    std::uniform_int_distribution<int> factor(-5, 5), constant(-40, 40);
    int solved = 0;
    while (solved < 500) {
        const int a = factor(random), b = factor(random);
        if (a == 0 || b == 0) continue;
        const int c = constant(random);
        const bool strict = solved % 2 == 0;
        KeyClause clause;
        clause.half_line(inlay::detail::Rational{a, b < 0 ? -b : b}, NamedSum(c), strict);
        for (int key = -100; key < 100; ++key) {
            const double value = static_cast<double>(a) / std::abs(b) * key + c;
            bool in = true;
            for (const NamedSum& from : clause.begins) in = in && key >= from.constant;
            for (const NamedSum& to : clause.ends) in = in && key < to.constant;
            // Fractions of small denominators are exact enough to be compared.
            EXPECT_EQ(in, strict ? value > 1e-9 : value > -1e-9) << a << "/" << std::abs(b) << " key + " << c;
        }
        ++solved;
    }
}
TEST(KeyBounds, BoundsOfPositions) {
    NamedSum of_query;
    inlay::detail::RowParts<Scores>{scores}.add<Query>(of_query);
    EXPECT_EQ(of_query.least, 64 - 16);
    EXPECT_EQ(of_query.most, 63);
    NamedSum of_head;
    inlay::detail::RowParts<Scores>{scores}.add<Mul<Coord<1>, Const<2>>>(of_head);
    EXPECT_EQ(of_head.least, 0);
    EXPECT_EQ(of_head.most, 14);
}

}  // namespace
