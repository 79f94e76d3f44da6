// SPDX-License-Identifier: Apache-2.0
/// Recurrences other than softmax with a denominator, each against plain loops in double over the visible keys.
#include <inlay/expr/print.hpp>

#include "random_rows.hpp"

namespace {

using namespace inlay;
using namespace inlay_test;

using M = KeyMax<Score>;
using P = Exp<Sub<Score, M>>;
using L = KeySum<P>;

using Numbers = std::vector<double>;
using Keys = std::vector<Key>;

double greatest(const Keys& keys, double Key::*score = &Key::score) {
    double m = -1e300;
    for (const Key& k : keys) m = std::max(m, k.*score);
    return m;
}
template <class F>
double total(const Keys& keys, F f) {
    double s = 0;
    for (const Key& k : keys) s += f(k);
    return s;
}
/// Σ weight(key) V, and 0 without a key.
template <class F>
Numbers values(const Keys& keys, int columns, F weight) {
    Numbers y(static_cast<std::size_t>(columns), 0.0);
    for (const Key& k : keys)
        for (std::size_t j = 0; j < y.size(); ++j) y[j] += weight(k) * k.v[j];
    return y;
}
Numbers softmax(const Keys& keys, int columns, double c, double Key::*score = &Key::score) {
    const double m = c * greatest(keys, score);
    const double l = total(keys, [&](const Key& k) { return std::exp(c * (k.*score) - m); });
    return values(keys, columns, [&](const Key& k) { return std::exp(c * (k.*score) - m) / l; });
}

int combinations = 0;

/// Rows of scores around a number up to `mean` against `want(keys, row)`. Terms are of size `magnitude` at most, and an
/// error of one unit of a score becomes `sensitivity` of them in the result.
template <class Row, class T, class F>
void check_in(double mean, F want, double magnitude, double sensitivity) {
    Luck luck(static_cast<unsigned>(combinations) + 7);
    for (int trial = 0; trial < 20; ++trial, ++combinations) {
        double centre = 0;
        RowData<T> r = random_row<T>(luck, -mean, mean, &centre);
        r.slot = T(luck.real(-2, 2));
        const Keys keys = visible_keys(r);
        Numbers expected = want(keys, r);
        const auto y = run_row<Row>(r, random_split(luck, r.keys()))[0];
        if (keys.empty()) expected.assign(y.size(), 0.0);
        expect_near(y, expected, sensitivity * (1 + std::abs(centre)), std::string(name<Row>()), magnitude);
    }
}
template <class Row, class F>
void check(double mean, F want, double magnitude = 1, double sensitivity = 2) {
    check_in<Row, float>(mean, want, magnitude, sensitivity);
    check_in<Row, double>(mean, want, magnitude, sensitivity);
}

TEST(OnlineNamed, SigmoidAttention) {
    check<KeySum<Mul<Sigmoid<Add<Score, Param<0>>>, Values>>>(8, [](const Keys& keys, const auto& r) {
        return values(keys, r.columns, [&](const Key& k) {
            return 1 / (1 + std::exp(-k.score - static_cast<double>(r.param)));
        });
    });
}

TEST(OnlineNamed, LinearAttention) {
    using Row = KeySum<Mul<Mul<Score, Values>, Const<0.125>>>;
    check<Row>(8, [](const Keys& keys, const auto& r) {
        return values(keys, r.columns, [](const Key& k) { return k.score / 8; });
    }, 60);
    using Squares = Mul<Score, Score>;  // a positive feature map, normalised
    check<Div<KeySum<Mul<Squares, Values>>, KeySum<Squares>>>(8, [](const Keys& keys, const auto& r) {
        const double l = total(keys, [](const Key& k) { return k.score * k.score; });
        return values(keys, r.columns, [&](const Key& k) { return k.score * k.score / l; });
    });
}

TEST(OnlineNamed, TwoSoftmaxesInOnePass) {
    using P2 = Exp<Sub<SecondScore, KeyMax<SecondScore>>>;
    using Row = KeySum<Mul<Sub<Div<P, L>, Mul<Param<0>, Div<P2, KeySum<P2>>>>, Values>>;
    check<Row>(1000, [](const Keys& keys, const auto& r) {
        Numbers y = softmax(keys, r.columns, 1), y2 = softmax(keys, r.columns, 1, &Key::second);
        for (std::size_t j = 0; j < y.size(); ++j) y[j] -= static_cast<double>(r.param) * y2[j];
        return y;
    });
    // Of one score at two temperatures, which share their maximum.
    using Cold = Exp<Mul<Const<2.0>, Sub<Score, M>>>;
    using Both = KeySum<Mul<Add<Div<P, L>, Div<Cold, KeySum<Cold>>>, Values>>;
    static_assert(!online::Recurrence<Both>::maxima_may_lag);
    check<Both>(1000, [](const Keys& keys, const auto& r) {
        Numbers y = softmax(keys, r.columns, 1), y2 = softmax(keys, r.columns, 2);
        for (std::size_t j = 0; j < y.size(); ++j) y[j] += y2[j];
        return y;
    });
}

TEST(OnlineNamed, BinaryExponentialsAndPlaces) {
    using X = Mul<Score, Const<1.4426950408889634>>;
    using B = Exp2<Sub<X, KeyMax<X>>>;
    check<Div<KeySum<Mul<B, Values>>, KeySum<B>>>(100, [](const Keys& keys, const auto& r) {
        return softmax(keys, r.columns, 1);
    });
    // A slope along the keys.
    using Y = Sub<Score, Mul<Param<0>, Coord<3>>>;
    using A = Exp<Sub<Y, KeyMax<Y>>>;
    check<Div<KeySum<Mul<A, Values>>, KeySum<A>>>(100, [](Keys keys, const auto& r) {
        for (Key& k : keys) k.score -= static_cast<double>(r.param) * k.place;
        return softmax(keys, r.columns, 1);
    });
    // A factor beside the exponential.
    check<Div<KeySum<Mul<Mul<P, Tanh<Score>>, Values>>, L>>(100, [](const Keys& keys, const auto& r) {
        const double m = greatest(keys), l = total(keys, [&](const Key& k) { return std::exp(k.score - m); });
        return values(keys, r.columns, [&](const Key& k) { return std::exp(k.score - m) / l * std::tanh(k.score); });
    });
}

TEST(OnlineNamed, MeansAndUnnormalisedSums) {
    check<Div<KeySum<Values>, KeySum<Const<1.0>>>>(1000, [](const Keys& keys, const auto& r) {
        return values(keys, r.columns, [&](const Key&) { return 1.0 / static_cast<double>(keys.size()); });
    });
    check<KeySum<Mul<P, Values>>>(1000, [](const Keys& keys, const auto& r) {
        const double m = greatest(keys);
        return values(keys, r.columns, [&](const Key& k) { return std::exp(k.score - m); });
    });
    check<KeyMax<Sub<Score, KeyMax<SecondScore>>>>(1000, [](const Keys& keys, const auto&) {
        return Numbers{greatest(keys) - greatest(keys, &Key::second)};
    }, 1000);
}

TEST(OnlineNamed, WeightsThatUnderflowAreNoRowWithoutKeys) {
    using Top = Max<M, Buf<0>>;
    using W = Exp<Sub<Score, Top>>;
    using Sunk = Div<KeySum<Mul<W, Values>>, Add<KeySum<W>, Exp<Sub<Buf<0>, Top>>>>;
    RowData<float> low;
    low.columns = 2;
    low.slot = 300;  // the sink, far above all scores
    low.score = low.second = {-1, 0, 1};
    low.v = {1, 2, 3, 4, 5, 6};
    for (const Split& s : {Split{1, {}, false, 0}, Split{2, {1}, false, 2}}) {
        EXPECT_EQ((run_row<Sunk>(low, s)[0]), (std::vector<float>{0, 0}));
        EXPECT_EQ((run_row<Add<Sunk, Const<1.0>>>(low, s)[0]), (std::vector<float>{1, 1}));
    }
}

TEST(OnlineNamed, TwoPasses) {
    using Mean = Div<KeySum<Score>, KeySum<Const<1.0>>>;
    using Off = Sub<Score, TwoPass<Mean>>;
    using Variance = Div<KeySum<Mul<Off, Off>>, KeySum<Const<1.0>>>;
    const auto mean_of = [](const Keys& keys) {
        return total(keys, [](const Key& k) { return k.score; }) / static_cast<double>(keys.size());
    };
    const auto variance_of = [&](const Keys& keys) {
        const double mean = mean_of(keys);
        return total(keys, [&](const Key& k) { return (k.score - mean) * (k.score - mean); }) /
               static_cast<double>(keys.size());
    };
    check<Variance>(1000, [&](const Keys& keys, const auto&) { return Numbers{variance_of(keys)}; });
    // Scores standardised over the keys, and a score times the greatest one.
    using Standard = Exp<Div<Off, TwoPass<Sqrt<Add<Variance, Const<1.0>>>>>>;
    check<Div<KeySum<Mul<Standard, Values>>, KeySum<Standard>>>(100, [&](const Keys& keys, const auto& r) {
        return softmax(keys, r.columns, 1 / std::sqrt(variance_of(keys) + 1));
    });
    using Y = Div<Score, Add<Const<1.0>, Abs<TwoPass<M>>>>;
    using Relative = Exp<Sub<Y, KeyMax<Y>>>;
    check<Div<KeySum<Mul<Relative, Values>>, KeySum<Relative>>>(100, [](const Keys& keys, const auto& r) {
        return softmax(keys, r.columns, 1 / (1 + std::abs(greatest(keys))));
    });
    EXPECT_GE(combinations, 300);
}

TEST(OnlineNamed, RowsWithoutKeysAreZero) {
    using O = KeySum<Mul<P, Values>>;
    RowData<float> none;
    none.columns = 2;
    RowData<float> hidden = none;
    hidden.score = hidden.second = {-INFINITY, -INFINITY, -INFINITY};
    hidden.v = {1, 2, 3, 4, 5, 6};
    for (const auto& row : {none, hidden})
        for (const Split& s : {Split{1, {}, false, 0}, Split{2, {1}, false, 2}, Split{8, {0, 1, 2}, true, 0}}) {
            const std::vector<float> zero{0, 0};
            EXPECT_EQ((run_row<Div<O, L>, Add<M, Log<L>>>(row, s)),
                      (std::vector<std::vector<float>>{zero, {-INFINITY}}));
            EXPECT_EQ((run_row<Div<O, Add<L, Exp<Neg<M>>>>>(row, s)[0]), zero);
            EXPECT_EQ((run_row<Div<O, Add<M, L>>>(row, s)[0]), zero);
            EXPECT_EQ((run_row<Div<KeySum<Mul<Score, Values>>, KeySum<Score>>>(row, s)[0]), zero);
            EXPECT_EQ((run_row<Div<Add<O, Const<1.0>>, Add<L, Const<1.0>>>>(row, s)[0]), zero);
            EXPECT_EQ((run_row<KeySum<Mul<Sigmoid<Score>, Values>>>(row, s)[0]), zero);
            EXPECT_EQ((run_row<Div<KeySum<Score>, KeySum<Const<1.0>>>>(row, s)[0]), std::vector<float>{0});
        }
}

}  // namespace
