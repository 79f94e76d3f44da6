// SPDX-License-Identifier: Apache-2.0
/// NaN and infinities: where PyTorch's kernels give NaN, so do the executor and the oracle. Expected values are loops
/// over the definitions, in double.
#include "check.hpp"

#include <inlay/frame/attention.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/frame/softmax.hpp>

#include <cmath>
#include <functional>
#include <limits>

namespace {

using namespace inlay;
using namespace inlay_test;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

/// The greatest, NaN where any is.
double greatest(const std::vector<double>& v) {
    double m = -infinity;
    for (const double x : v) m = std::isnan(x) || x > m ? x : m;
    for (const double x : v) m = std::isnan(x) ? x : m;
    return m;
}
/// Weights of scores by softmax: of −inf alone 0 in attention (PyTorch's safe softmax), NaN elsewhere.
std::vector<double> softmax_of(std::vector<double> v, bool safe = false) {
    const double m = greatest(v);
    if (safe && m == -infinity) return std::vector<double>(v.size(), 0.0);
    double sum = 0;
    for (double& x : v) sum += x = std::exp(x - m);
    for (double& x : v) x /= sum;
    return v;
}

/// NaN at the same places, the other values near each other.
void expect_like(const std::vector<double>& got, const std::vector<double>& expected, double error, const char* where) {
    EXPECT_LE(relative_l2(got, expected), error) << where;
}

template <int D, class Mask>
struct attend : Attention<D, Buf<0>, Buf<1>, Buf<2>, Mask> {};

/// Attention of one head with `value` in component 3 of a row of Q or K, against its definition.
template <Storage T, int D, class Mask>
void attention(index_t queries, index_t keys, bool in_query, index_t row, double value) {
    auto q = normal<T>(1, 1, 1, queries, D), k = normal<T>(2, 1, 1, keys, D);
    const auto v = normal<T>(3, 1, 1, keys, D);
    auto& where = in_query ? q : k;
    where.v[static_cast<std::size_t>(row * D + 3)] = to_storage<T>(value);
    std::vector<double> expected;
    for (index_t i = 0; i < queries; ++i) {
        std::vector<double> scores;
        for (index_t j = 0; j < keys; ++j) {
            double s = 0;
            for (index_t d = 0; d < D; ++d) s += q.at({{0, 0, i, d}}) * k.at({{0, 0, j, d}});
            const bool seen = std::is_same_v<Mask, mask::Full> || j <= i + keys - queries;
            scores.push_back(seen ? s / std::sqrt(D) : -infinity);
        }
        const auto p = softmax_of(scores, true);
        for (index_t d = 0; d < D; ++d) {
            double y = 0;
            for (index_t j = 0; j < keys; ++j) y += p[static_cast<std::size_t>(j)] * v.at({{0, 0, j, d}});
            expected.push_back(y);
        }
    }
    const Compared c = compare<attend<D, Mask>, T>(q.extents, *q, *k, *v);
    const std::string what = std::to_string(value) + " in row " + std::to_string(row) + (in_query ? " of Q" : " of K") +
                             ", D = " + std::to_string(D) + ", " + name(dtype_of<T>);
    expect_like(c.oracle, expected, 1e-9, (what + ", the oracle").c_str());
    // As the sum of two or three TF32 numbers an infinity is NaN: a GPU has NaN also where it would have no weight.
    if (rounds_operands<T> && sizeof(T) == 4 && std::isinf(value)) {
        for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_TRUE(std::isnan(c.values[i]) || !std::isnan(expected[i])) << what << " at " << i;
        return;
    }
    expect_like(c.values, expected, sizeof(T) == 2 ? 2e-3 : 1e-5, (what + ", the executor").c_str());
}
template <Storage T, int D>
void attentions() {
    for (const double value : {nan, infinity, -infinity}) {
        attention<T, D, mask::Full>(9, 270, true, 2, value);
        attention<T, D, mask::Full>(9, 270, false, 1, value);
        attention<T, D, mask::Full>(9, 270, false, 269, value);
        attention<T, D, mask::Causal>(9, 270, false, 265, value);  // four queries do not see it
    }
}
TEST(NotFinite, AttentionOfFloats) {
    attentions<float, 64>();
}
TEST(NotFinite, AttentionOfHalves) {
    attentions<fp16, 64>();
    attentions<fp16, 40>();
}

// Every score −inf: no key has a weight, as if none were seen.
TEST(NotFinite, AttentionWithoutWeights) {
    const fp16 lowest(-std::numeric_limits<float>::infinity());
    const auto q = gaussian<fp16>(1, 1, 0, 1, 1, 3, 64), v = gaussian<fp16>(1, 1, 0, 1, 1, 300, 64);
    auto k = gaussian<fp16>(1, 1, 0, 1, 1, 300, 64);
    for (fp16& x : k.v) x = lowest;
    const Compared c = compare<attend<64, mask::Full>, fp16>(q.extents, *q, *k, *v);
    for (const double x : c.values) EXPECT_EQ(x, 0);
    for (const double x : c.oracle) EXPECT_EQ(x, 0);
    // One NaN among them shows, whichever block of keys it is in.
    for (const std::size_t key : {std::size_t(5), std::size_t(299)}) {
        k.v[key * 64] = fp16(std::numeric_limits<float>::quiet_NaN());
        const Compared with_nan = compare<attend<64, mask::Full>, fp16>(q.extents, *q, *k, *v);
        for (const double x : with_nan.values) EXPECT_TRUE(std::isnan(x)) << key;
        for (const double x : with_nan.oracle) EXPECT_TRUE(std::isnan(x)) << key;
        k.v[key * 64] = lowest;
    }
}

struct softmax : Softmax<> {};
struct layer_norm : LayerNorm<> {};
struct rms_norm : RMSNorm<> {};
struct group_norm : GroupNorm<4> {};
template <class Op, int... A>
struct over : Reduce<Op, Axes<A...>> {};

/// K of rows of numbers in which every row but the first has a number that is not finite, against `of` of each row.
template <class K, class... Args>
void rows(index_t n, const std::function<std::vector<double>(std::vector<double>)>& of, const Args&... args) {
    const double values[] = {0, nan, infinity, -infinity};
    auto x = normal<float>(1, 4, n);
    std::vector<double> expected;
    for (index_t i = 0; i < 4; ++i) {
        if (i > 0) x.v[static_cast<std::size_t>(i * n + n / 2)] = static_cast<float>(values[i]);
        const auto row = doubles(std::vector<float>(x.v.begin() + i * n, x.v.begin() + (i + 1) * n));
        for (const double y : of(row)) expected.push_back(y);
    }
    const Compared c = compare<K, float>(Extents<2>{{4, static_cast<index_t>(expected.size()) / 4}}, args..., *x);
    expect_like(c.oracle, expected, 1e-9, "the oracle");
    expect_like(c.values, expected, 1e-5, "the executor");
}

TEST(NotFinite, Rows) {
    for (const index_t n : {5, 40, 3000}) {
        const auto one = gaussian<float>(1, 1, 0, n), zero = gaussian<float>(1, 0, 0, n);
        const auto mean = [](const std::vector<double>& v) {
            double s = 0;
            for (const double x : v) s += x;
            return s / static_cast<double>(v.size());
        };
        rows<softmax>(n, [](auto v) { return softmax_of(v); });
        rows<layer_norm>(
            n,
            [&](auto v) {
                const double m = mean(v);
                std::vector<double> squares;
                for (const double x : v) squares.push_back((x - m) * (x - m));
                const double s = std::sqrt(mean(squares) + 1e-5);
                for (double& x : v) x = (x - m) / s;
                return v;
            },
            *one, *zero);
        rows<rms_norm>(
            n,
            [&](auto v) {
                std::vector<double> squares;
                for (const double x : v) squares.push_back(x * x);
                const double s = std::sqrt(mean(squares) + 1e-6);
                for (double& x : v) x /= s;
                return v;
            },
            *one);
        rows<over<reduction::Max, -1>>(n, [](auto v) { return std::vector<double>{greatest(v)}; });
        rows<over<reduction::Sum, -1>>(
            n, [&](auto v) { return std::vector<double>{mean(v) * static_cast<double>(v.size())}; });
    }
}

// A group with a NaN or an infinity is NaN, the others are as they were.
TEST(NotFinite, Groups) {
    const auto one = gaussian<float>(1, 1, 0, 16), zero = gaussian<float>(1, 0, 0, 16);
    for (const double value : {nan, infinity, -infinity}) {
        auto x = normal<float>(1, 2, 50, 16);
        x.v[(50 + 20) * 16 + 6] = static_cast<float>(value);  // the second item, the second group
        const Compared c = compare<group_norm, float>(x.extents, *one, *zero, *x);
        for (std::size_t i = 0; i < c.values.size(); ++i) {
            const bool there = i >= 50 * 16 && i % 16 / 4 == 1;
            EXPECT_EQ(std::isnan(c.values[i]), there) << value << " at " << i;
            EXPECT_EQ(std::isnan(c.oracle[i]), there) << value << " at " << i;
        }
    }
}

// Products: a row with NaN or infinity, and no other.
struct product : Linear<> {};
TEST(NotFinite, Products) {
    for (const index_t m : {3, 40}) {
        auto x = normal<fp16>(1, m, 64);
        const auto w = normal<fp16>(2, 24, 64);
        x.v[64 + 5] = fp16(std::numeric_limits<float>::quiet_NaN());
        x.v[2 * 64 + 9] = fp16(std::numeric_limits<float>::infinity());
        const Compared c = compare<product, fp16>(Extents<2>{{m, 24}}, *w, *x);
        for (std::size_t i = 0; i < c.values.size(); ++i) {
            EXPECT_EQ(std::isnan(c.values[i]), i / 24 == 1) << i;
            EXPECT_EQ(std::isinf(c.values[i]), i / 24 == 2) << i;
            EXPECT_EQ(std::isinf(c.oracle[i]), i / 24 == 2) << i;
        }
    }
}

}  // namespace
