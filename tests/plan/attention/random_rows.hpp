// SPDX-License-Identifier: Apache-2.0
/// Random rows of attention and ways to split them; comparison with numbers in double.
#pragma once

#include "row_runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace inlay_test {

class Luck {
public:
    explicit Luck(unsigned seed) : rng(seed) {}
    double real(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(rng); }
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(rng); }
    template <class T>
    T one_of(std::initializer_list<T> l) {
        return l.begin()[below(static_cast<int>(l.size()))];
    }

private:
    std::mt19937 rng;
};

/// Scores around a number between `least` and `most`; none, some, most or all keys hidden; one row in six has no key or
/// one. `centre`: that number.
template <class T>
RowData<T> random_row(Luck& luck, double least, double most, double* centre = nullptr) {
    RowData<T> r;
    r.columns = 1 + luck.below(3);
    const int keys = luck.below(6) == 0 ? luck.below(2) : luck.below(60);
    const double hidden = luck.one_of({0.0, 0.3, 0.9, 1.0}), spread = luck.real(0.1, 12);
    const double middle = luck.real(least, most);
    if (centre) *centre = middle;
    for (int k = 0; k < keys; ++k) {
        const bool hide = luck.real(0, 1) < hidden;
        for (auto* score : {&r.score, &r.second})
            score->push_back(hide ? -std::numeric_limits<T>::infinity() : T(middle + spread * luck.real(-1, 1)));
        for (int j = 0; j < r.columns; ++j) r.v.push_back(T(luck.real(-1, 1)));
    }
    r.param = T(luck.real(0.25, 1.5));
    return r;
}

inline Split random_split(Luck& luck, int keys) {
    Split s;
    s.block = luck.one_of({1, 3, 8, 64});
    for (int n = luck.below(4); n > 0; --n) s.at.push_back(luck.below(keys + 1));
    std::sort(s.at.begin(), s.at.end());
    s.last_first = luck.below(2) == 1;
    s.lag = luck.below(6);
    return s;
}

/// The visible keys of a row in double.
struct Key {
    int place;
    double score, second;
    std::vector<double> v;
};
template <class T>
std::vector<Key> visible_keys(const RowData<T>& r) {
    std::vector<Key> keys;
    for (int k = 0; k < r.keys(); ++k) {
        const auto i = static_cast<std::size_t>(k);
        if (r.score[i] == -std::numeric_limits<T>::infinity()) continue;
        Key key{k, static_cast<double>(r.score[i]), static_cast<double>(r.second[i]), {}};
        for (int j = 0; j < r.columns; ++j)
            key.v.push_back(static_cast<double>(r.v[static_cast<std::size_t>(k * r.columns + j)]));
        keys.push_back(key);
    }
    return keys;
}

/// Errors are relative to the greatest of `want`, or to `magnitude` where terms of that size cancel. `mean`: the size
/// of exponents, whose rounding becomes relative errors of weights.
template <class T>
void expect_near(const std::vector<T>& y, const std::vector<double>& want, double mean, const std::string& what,
                 double magnitude = 0) {
    constexpr double unit = std::numeric_limits<T>::epsilon();
    double size = std::max(magnitude, 1e-30);
    for (const double x : want) size = std::max(size, std::abs(x));
    ASSERT_EQ(y.size(), want.size());
    for (std::size_t j = 0; j < y.size(); ++j)
        ASSERT_LE(std::abs(static_cast<double>(y[j]) - want[j]), (40 + 3 * mean) * unit * size)
            << what << ": " << y[j] << ", expected " << want[j];
}

}  // namespace inlay_test
