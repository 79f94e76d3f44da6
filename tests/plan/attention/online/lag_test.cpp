// SPDX-License-Identifier: Apache-2.0
/// Powers of a ratio by which an expression changes, measured: its value before maxima move, and after it.
#include "softmax_row.hpp"

#include <inlay/expr/print.hpp>
#include <inlay/plan/attention/online/evaluate.hpp>
#include <inlay/plan/attention/online/lag.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace inlay;
using namespace inlay_test;
using namespace inlay::online;

using Ratio = rescale_of<Weight>;
constexpr double moved_by = 0.375;

/// A state in which the maximum of scores has moved, or has not: sums of weights relative to it are less by the ratio,
/// all other sums as they were. The second maximum stands for one to which no weight is relative.
struct State {
    bool moved;

    double operator()(Top) const { return 1.25 + (moved ? moved_by : 0.0); }
    double operator()(KeyMax<SecondScore>) const { return 0.5; }
    template <class W>
    double operator()(KeySum<W>) const {
        const double before = is_vector<KeySum<W>> ? 3.0 : 1.75;
        return holds_reduction<W> && moved ? before * std::exp(-moved_by) : before;
    }
    double operator()(Buf<0>) const { return 0.625; }
    double operator()(Param<0>) const { return 2.5; }
};

/// n where the value of E has changed by the ratio to the power of n, `no_power` where there is no such small n.
template <class E>
int measured_power() {
    const double ratio = std::exp(-moved_by), before = evaluate<E, double>(State{false});
    const double after = evaluate<E, double>(State{true});
    for (int n = -4; n <= 4; ++n)
        if (std::abs(after - before * std::pow(ratio, n)) < 1e-12) return n;
    return online::detail::no_power;
}
template <class E>
void expect_power_of(int n) {
    EXPECT_EQ((online::detail::power_in<E, Ratio>), n) << name<E>();
    EXPECT_EQ(measured_power<E>(), n) << name<E>();
}
template <class... E>
void expect_power(int n) {
    (expect_power_of<E>(n), ...);
}

TEST(Lag, PowersOfTheRatio) {
    expect_power<Buf<0>, KeyMax<SecondScore>, KeySum<Exp<Score>>, Div<Vector, Total>,
                 Div<Vector, Add<Total, Exp<Neg<Top>>>>, Div<Vector, Sub<Total, Mul<Total, Param<0>>>>,
                 Add<Top, Log<Total>>, Add<Log<Total>, Top>, Mul<Div<Total, Vector>, Buf<0>>>(0);
    expect_power<Total, Vector, Neg<Vector>, Mul<Total, Param<0>>, Exp<Neg<Top>>, Exp<Sub<Buf<0>, Top>>,
                 Add<Vector, Mul<Buf<0>, Total>>, Div<Mul<Vector, Total>, Total>>(1);
    expect_power<Mul<Total, Vector>, Mul<Exp<Neg<Top>>, Total>>(2);
    expect_power<Div<Buf<0>, Total>, Div<Vector, Mul<Total, Total>>>(-1);
    expect_power<Top, Add<Vector, Buf<0>>, Add<Vector, Top>, Div<Vector, Add<Total, Const<1e-3>>>, Log<Total>,
                 Sub<Total, Mul<Total, Total>>, Sub<Top, Log<Total>>, Mul<Vector, Top>, Div<Buf<0>, Top>,
                 Add<Top, Log<Mul<Total, Total>>>>(online::detail::no_power);
}

// Some have a power for which no rule is there: these may not be taken for another one.
TEST(Lag, NoPowerWhereNoRuleSaysIt) {
    using online::detail::no_power;
    using online::detail::power_in;
    EXPECT_EQ((power_in<Exp<Top>, Ratio>), no_power);
    EXPECT_EQ((power_in<Exp<Log<Total>>, Ratio>), no_power);
    EXPECT_EQ((power_in<Exp2<Neg<Top>>, Ratio>), no_power);
    EXPECT_EQ((power_in<Sqrt<Mul<Total, Total>>, Ratio>), no_power);
}

TEST(Lag, OfPowersOfTwo) {
    using Binary = Exp2<Sub<Score, Top>>;
    using OfBinary = rescale_of<Binary>;
    using online::detail::power_in;
    EXPECT_EQ((power_in<KeySum<Binary>, OfBinary>), 1);
    EXPECT_EQ((power_in<Exp2<Neg<Top>>, OfBinary>), 1);
    EXPECT_EQ((power_in<Total, OfBinary>), online::detail::no_power);
    // The natural logarithm of a sum of powers of 2 is not relative to their maximum.
    EXPECT_EQ((power_in<Add<Top, Log<KeySum<Binary>>>, OfBinary>), online::detail::no_power);
}

TEST(Lag, OutputsStayWhereAllTheirPowersAreZero) {
    using online::detail::stays;
    using Softmax = Div<Vector, Total>;
    EXPECT_TRUE((stays<types<Ratio>, Softmax, Add<Top, Log<Total>>>));
    EXPECT_FALSE((stays<types<Ratio>, Softmax, Total>));
    EXPECT_FALSE((stays<types<Ratio>, Total, Softmax>));
    using Second = Exp<Sub<SecondScore, KeyMax<SecondScore>>>;
    using Ratios = types<Ratio, rescale_of<Second>>;
    EXPECT_TRUE((stays<Ratios, Mul<Softmax, Div<KeySum<Mul<Second, Values>>, KeySum<Second>>>>));
    EXPECT_FALSE((stays<Ratios, Div<KeySum<Mul<Second, Values>>, Total>>));
    EXPECT_FALSE((stays<Ratios, Mul<Softmax, KeySum<Second>>>));
}

TEST(Lag, RatiosOfWeights) {
    using online::detail::ratios_of;
    using Second = Exp<Sub<SecondScore, KeyMax<SecondScore>>>;
    using Both = ratios_of<types<Weight, Score, Second, Mul<Weight, Score>>>::type;
    EXPECT_TRUE((std::is_same_v<Both, types<Ratio, rescale_of<Second>>>));  // each once, and none of 1
    EXPECT_TRUE((std::is_same_v<ratios_of<types<Score>>::type, types<>>));
}

TEST(Lag, WeightsAreRelativeToAllMaximaOrNot) {
    using online::detail::moves_all;
    using SecondTop = KeyMax<SecondScore>;
    EXPECT_TRUE((moves_all<types<Ratio>, types<Top>>));
    EXPECT_FALSE((moves_all<types<Ratio>, types<Top, SecondTop>>));
    EXPECT_FALSE((moves_all<types<>, types<Top>>));
    EXPECT_TRUE((moves_all<types<Ratio, Exp<Sub<Before<SecondTop>, SecondTop>>>, types<Top, SecondTop>>));
}

}  // namespace
