// SPDX-License-Identifier: Apache-2.0
#include <inlay/plan/attention/online/formula.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;
using namespace inlay::online;

using A = Param<0>;
using B = Param<1>;
using C = Param<2>;
using Top = KeyMax<Score>;
using SecondTop = KeyMax<SecondScore>;

/// Parameters by a, b and c instead of their names, so that brackets are seen.
std::string shortened(std::string s) {
    for (const char* const name : {"Param<0>", "Param<1>", "Param<2>"})
        for (std::size_t at; (at = s.find(name)) != std::string::npos;)
            s.replace(at, 8, 1, static_cast<char>('a' + name[6] - '0'));
    return s;
}
template <class E, class R = online::detail::NoReductions, bool Step = false>
std::string text() {
    return shortened(std::string(online::detail::Formula<R, Step>::text(E{})));
}

// Sums bind less than products; what is subtracted or divided by is not re-associated.
TEST(Formula, BracketsStandWhereTheyChangeTheValue) {
    EXPECT_EQ((text<Add<Add<A, B>, C>>()), "a + b + c");
    EXPECT_EQ((text<Add<A, Sub<B, C>>>()), "a + b - c");
    EXPECT_EQ((text<Sub<A, Sub<B, C>>>()), "a - (b - c)");
    EXPECT_EQ((text<Sub<Sub<A, B>, C>>()), "a - b - c");
    EXPECT_EQ((text<Sub<A, Mul<B, C>>>()), "a - b c");
    EXPECT_EQ((text<Mul<Add<A, B>, C>>()), "(a + b) c");
    EXPECT_EQ((text<Mul<A, Add<B, C>>>()), "a (b + c)");
    EXPECT_EQ((text<Mul<Mul<A, B>, C>>()), "a b c");
    EXPECT_EQ((text<Mul<A, Div<B, C>>>()), "a (b / c)");
    EXPECT_EQ((text<Div<Mul<A, B>, C>>()), "a b / c");
    EXPECT_EQ((text<Div<A, Mul<B, C>>>()), "a / (b c)");
    EXPECT_EQ((text<Div<Div<A, B>, C>>()), "a / b / c");
    EXPECT_EQ((text<Div<A, Sub<B, C>>>()), "a / (b - c)");
    EXPECT_EQ((text<Neg<Mul<A, B>>>()), "-a b");
    EXPECT_EQ((text<Neg<Add<A, B>>>()), "-(a + b)");
    EXPECT_EQ((text<Sub<A, Neg<B>>>()), "a - (-b)");
    EXPECT_EQ((text<Exp<Sub<A, B>>>()), "exp(a - b)");
    EXPECT_EQ((text<Max<Add<A, B>, C>>()), "max(a + b, c)");
}

TEST(Formula, NumbersStandBeforeTheirFactor) {
    EXPECT_EQ((text<Mul<A, Const<2.0>>>()), "2 a");
    EXPECT_EQ((text<Mul<Const<2.0>, A>>()), "2 a");
    EXPECT_EQ((text<Mul<Add<A, B>, Const<0.5>>>()), "0.5 (a + b)");
    EXPECT_EQ((text<Mul<Const<2.0>, Const<3.0>>>()), "2 3");
}

TEST(Formula, Conditions) {
    EXPECT_EQ((text<Less<Coord<3>, A>>()), "j < a");
    EXPECT_EQ((text<LessEqual<Add<A, B>, C>>()), "a + b <= c");
    EXPECT_EQ((text<Greater<A, B>>()), "a > b");
    EXPECT_EQ((text<GreaterEqual<A, B>>()), "a >= b");
    EXPECT_EQ((text<Equal<A, B>>()), "a == b");
    EXPECT_EQ((text<NotEqual<A, B>>()), "a != b");
    EXPECT_EQ((text<Equal<Less<A, B>, C>>()), "(a < b) == c");
    EXPECT_EQ((text<And<Less<A, B>, Or<A, B>>>()), "a < b and (a or b)");
    EXPECT_EQ((text<Or<And<A, B>, Or<B, C>>>()), "a and b or b or c");
    EXPECT_EQ((text<Not<And<A, B>>>()), "not (a and b)");
    EXPECT_EQ((text<Not<A>>()), "not a");
}

TEST(Formula, Leaves) {
    EXPECT_EQ((text<Add<Score, Mul<SecondScore, Values>>>()), "s + t V");
    EXPECT_EQ((text<Out>()), "Q·K");
    EXPECT_EQ((text<QueryPosition>()), "i");
    EXPECT_EQ((text<Coord<0>>() + text<Coord<1>>() + text<Coord<2>>() + text<Coord<3>>()), "batchheadqueryj");
    EXPECT_EQ((text<Coord<-4>>() + text<Coord<-3>>() + text<Coord<-2>>() + text<Coord<-1>>()), "batchheadqueryj");
    EXPECT_EQ((text<Buf<3>>()), "Buf<3>");
}

/// A recurrence with these reductions.
template <class M, class L, class O>
struct Reductions {
    using maxima = M;
    using sums = L;
    using vectors = O;
};

TEST(Formula, ReductionsHaveTheNamesOfTheirRecurrence) {
    using L = KeySum<Exp<Sub<Score, Top>>>;
    using O = KeySum<Mul<Exp<Sub<Score, Top>>, Values>>;
    using One = Reductions<types<Top>, types<L>, types<O>>;
    EXPECT_EQ((text<Div<O, L>, One>()), "o / l");
    EXPECT_EQ((text<Add<Top, Log<L>>, One>()), "m + log(l)");
    EXPECT_EQ((text<Exp<Sub<Before<Top>, Top>>, One, true>()), "exp(m - m')");
    using Two = Reductions<types<Top, SecondTop>, types<KeySum<Score>, L>, types<>>;
    EXPECT_EQ((text<Add<Top, SecondTop>, Two>()), "m1 + m2");
    EXPECT_EQ((text<Sub<KeySum<Score>, L>, Two>()), "l1 - l2");
    EXPECT_EQ((text<Sub<Before<SecondTop>, SecondTop>, Two, true>()), "m2 - m2'");
    // Those of no recurrence are spelled out, and so are those of another pass, in brackets of their own.
    EXPECT_EQ((text<Top>()), "max s");
    EXPECT_EQ((text<KeyMax<Add<Score, A>>>()), "max (s + a)");
    EXPECT_EQ((text<KeySum<Mul<Score, Values>>>()), "Σ s V");
    EXPECT_EQ((text<KeySum<Sub<Score, A>>>()), "Σ (s - a)");
    EXPECT_EQ((text<Sub<Score, TwoPass<Top>>, One>()), "s - [max s]");
}

TEST(Formula, NumberedWhereThereAreSeveral) {
    EXPECT_EQ(std::string(online::detail::numbered("m", 0, 1)), "m");
    EXPECT_EQ(std::string(online::detail::numbered("m", 0, 2)), "m1");
    EXPECT_EQ(std::string(online::detail::numbered("o", 11, 12)), "o12");
}

}  // namespace
