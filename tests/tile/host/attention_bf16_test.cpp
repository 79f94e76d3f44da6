// SPDX-License-Identifier: Apache-2.0
/// Attention of factors in bf16, where the processor multiplies them: ragged keys, odd widths, weights that several
/// sums read, against sums in double of what Q, K and V hold.
#include <inlay/exec/host.hpp>
#include <inlay/inlay.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace {

using namespace inlay;

std::vector<bf16> noise(index_t n, unsigned seed) {
    std::mt19937 g(seed);
    std::normal_distribution<float> normal;
    std::vector<bf16> v(static_cast<std::size_t>(n));
    for (bf16& x : v) x = bf16(normal(g));
    return v;
}

template <int D, int Dv>
struct plain : Attention<D, Buf<0>, Buf<1>, Buf<2>, ValueColumns<Dv>> {};
/// Softmax beside half of another of half the scores: two weights of each key.
using Half = Mul<Const<0.5>, Score>;
using HalfWeight = Exp<Sub<Half, KeyMax<Half>>>;
template <int D, int Dv>
struct two_softmaxes
    : Attention<D, Buf<0>, Buf<1>, Buf<2>, ValueColumns<Dv>,
                row::Of<Sub<row::Softmax::output,
                            Mul<Const<0.5>, Div<KeySum<Mul<HalfWeight, Values>>, KeySum<HalfWeight>>>>>> {};

double at(const std::vector<bf16>& v, index_t i) { return from_storage<double>(v[static_cast<std::size_t>(i)]); }

/// Relative L2 of K in fp32 results from doubles. Weights are rounded to bf16, so that results are off by less than
/// half a unit of it; fp32 sums add next to nothing.
template <template <int, int> class K, int D, int Dv>
void expect_near(index_t queries, index_t keys) {
    const auto q = noise(queries * D, 1), k = noise(keys * D, 2), v = noise(keys * Dv, 3);
    const auto run = [&](int threads) {
        std::vector<float> y(static_cast<std::size_t>(queries * Dv), NAN);
        Host host(threads);
        prepare<K<D, Dv>>(tensor(y.data(), 1, 1, queries, Dv), tensor(q.data(), 1, 1, queries, D),
                          tensor(k.data(), 1, 1, keys, D), tensor(v.data(), 1, 1, keys, Dv))
            .run(host);
        return y;
    };
    const auto y = run(1);
    EXPECT_EQ(y, run(3)) << "the number of threads changed the result";
    double error = 0, size = 0;
    for (index_t i = 0; i < queries; ++i) {
        std::vector<double> s;
        for (index_t j = 0; j < keys; ++j) {
            double x = 0;
            for (index_t e = 0; e < D; ++e) x += at(q, i * D + e) * at(k, j * D + e);
            s.push_back(x / std::sqrt(D));
        }
        for (index_t e = 0; e < Dv; ++e) {
            const auto mean = [&](double by) {
                double sum = 0, all = 0;
                for (index_t j = 0; j < keys; ++j) {
                    const double w = std::exp(by * s[static_cast<std::size_t>(j)]);
                    sum += w * at(v, j * Dv + e), all += w;
                }
                return sum / all;
            };
            const bool two = std::is_same_v<K<D, Dv>, two_softmaxes<D, Dv>>;
            const double want = mean(1) - (two ? 0.5 * mean(0.5) : 0);
            const double got = static_cast<double>(y[static_cast<std::size_t>(i * Dv + e)]);
            error += (got - want) * (got - want), size += want * want;
        }
    }
    const double bar = host_multiplies_bf16 ? 0x1p-9 * 1.25 : 2e-6;
    EXPECT_LE(std::sqrt(error / size), bar) << queries << " queries, " << keys << " keys, " << D << ", " << Dv;
}

TEST(AttentionBf16, RaggedKeys) {
    for (const index_t keys : {2, 31, 77, 257, 300}) expect_near<plain, 40, 40>(37, keys);
}
TEST(AttentionBf16, OddWidths) {
    for (const index_t keys : {33, 290}) expect_near<plain, 7, 19>(15, keys);
}
TEST(AttentionBf16, LongHeads) { expect_near<plain, 320, 33>(9, 65); }
TEST(AttentionBf16, SeveralWeights) { expect_near<two_softmaxes, 16, 35>(15, 301); }

}  // namespace
