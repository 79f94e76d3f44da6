// SPDX-License-Identifier: Apache-2.0
#include <inlay/tile/host/matmul.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;

std::vector<float> noise(std::size_t n, unsigned seed) {
    std::mt19937 g(seed);
    std::uniform_real_distribution<float> u(-1, 1);
    std::vector<float> v(n);
    for (float& x : v) x = u(g);
    return v;
}

template <class T>
std::vector<T> stored(const std::vector<float>& v) {
    std::vector<T> r;
    for (const float x : v) r.push_back(to_storage<T>(x));
    return r;
}

/// The product through the engine. `copy`: stage into scratch instead of handing out A in place.
template <class A, class T>
std::vector<float> product(Threads& threads, const MatmulShape& s, const std::vector<A>& a, const std::vector<T>& w,
                           bool shared, bool copy) {
    const index_t k = s.segments * s.k, size = packed_size(s.n, k);
    std::vector<T> packed(static_cast<std::size_t>((shared ? 1 : s.batch) * size));
    for (index_t b = 0; b < (shared ? 1 : s.batch); ++b)
        on_host::pack(w.data() + b * s.n * k, k, s.n, k, packed.data() + b * size, threads);
    std::vector<float> c(static_cast<std::size_t>(s.batch * s.m * s.n), std::numeric_limits<float>::quiet_NaN());
    matmul<A>(
        threads, s,
        [&](index_t b, index_t m, index_t segment, index_t k0, index_t kn, A* scratch) -> const A* {
            const A* row = a.data() + ((b * s.m + m) * s.segments + segment) * s.k + k0;
            if (!copy) return row;
            for (index_t i = 0; i < kn; ++i) scratch[i] = row[i];
            return scratch;
        },
        packed.data(), shared ? 0 : size,
        [&](index_t b, index_t m, index_t n0, index_t nn, const float* acc) {
            for (index_t i = 0; i < nn; ++i) c[static_cast<std::size_t>((b * s.m + m) * s.n + n0 + i)] = acc[i];
        });
    return c;
}

template <class T, class A = float>
void check(const MatmulShape& s, bool shared = true, bool copy = false) {
    SCOPED_TRACE(testing::Message() << "batch " << s.batch << " m " << s.m << " n " << s.n << " segments " << s.segments
                                    << " k " << s.k << " shared " << shared << " copy " << copy);
    const index_t k = s.segments * s.k;
    const auto a = stored<A>(noise(static_cast<std::size_t>(s.batch * s.m * k), 1));
    const auto w = stored<T>(noise(static_cast<std::size_t>((shared ? 1 : s.batch) * s.n * k), 2));
    Threads one(1), three(3);
    const auto c = product(three, s, a, w, shared, copy);
    for (index_t b = 0; b < s.batch; ++b)
        for (index_t m = 0; m < s.m; ++m)
            for (index_t n = 0; n < s.n; ++n) {
                double sum = 0, size = 0;
                for (index_t i = 0; i < k; ++i) {
                    const index_t weight = ((shared ? 0 : b) * s.n + n) * k + i;
                    const double x = from_storage<double>(a[static_cast<std::size_t>((b * s.m + m) * k + i)]) *
                                     from_storage<double>(w[static_cast<std::size_t>(weight)]);
                    sum += x, size += std::fabs(x);
                }
                // The standard bound of a sum of k terms, generous by far in practice.
                const float found = c[static_cast<std::size_t>((b * s.m + m) * s.n + n)];
                ASSERT_NEAR(found, sum, 6e-8 * double(k + 1) * size + 1e-30) << b << ' ' << m << ' ' << n;
            }
    ASSERT_EQ(c, product(one, s, a, w, shared, copy)) << "the number of threads changed the result";
}

TEST(Matmul, AgreesWithTheNaiveSum) {
    for (const bool copy : {false, true}) {
        check<float>({1, 1, 1, 1, 1}, true, copy);
        check<float>({1, 1, 100, 1, 37}, true, copy);
        check<float>({1, 2, 320, 1, 300}, true, copy);
        check<float>({2, 17, 33, 1, 257}, true, copy);
        check<float>({1, 32, 70, 1, 513}, true, copy);
        check<float>({1, 171, 65, 1, 64}, true, copy);
        check<float>({1, 400, 3, 1, 40}, true, copy);
        check<float>({3, 5, 4, 9, 4}, true, copy);
        check<float>({1, 29, 40, 9, 20}, true, copy);
        check<float>({1, 31, 17, 4, 320}, true, copy);
        check<float>({2, 15, 48, 9, 128}, false, copy);
    }
}
TEST(Matmul, HalfWeights) {
    check<fp16>({1, 1, 100, 1, 37});
    check<fp16>({2, 60, 77, 3, 300});
    check<fp16>({2, 15, 33, 1, 64}, false);
    check<bf16>({1, 60, 77, 3, 300});
    check<bf16>({1, 20, 33, 1, 1});
    check<bf16>({2, 9, 40, 4, 37});
    check<bf16>({1, 17, 70, 3, 411});
}
// Factors of bf16 where the processor multiplies them, else floats. Pairs of them span segments of odd length.
TEST(Matmul, FactorsOfTheWeightsType) {
    using A = factor_type<bf16, bf16>;
    for (const bool copy : {false, true}) {
        check<bf16, A>({1, 1, 1, 1, 1}, true, copy);
        check<bf16, A>({1, 1, 100, 1, 37}, true, copy);
        check<bf16, A>({2, 17, 33, 1, 513}, true, copy);
        check<bf16, A>({1, 29, 65, 1, 1026}, true, copy);
        check<bf16, A>({1, 171, 65, 1, 64}, true, copy);
        check<bf16, A>({1, 40, 40, 1, 2048}, true, copy);
        check<bf16, A>({3, 5, 4, 9, 3}, true, copy);
        check<bf16, A>({1, 29, 40, 9, 20}, true, copy);
        check<bf16, A>({1, 31, 17, 4, 320}, true, copy);
        check<bf16, A>({1, 9, 35, 3, 523}, true, copy);
        check<bf16, A>({1, 9, 35, 2, 1031}, true, copy);
        check<bf16, A>({2, 15, 48, 9, 128}, false, copy);
        check<bf16, A>({2, 15, 48, 3, 5}, false, copy);
    }
}
TEST(Matmul, OddLengthsLeaveNoTraceOfWhatLiesBehindARow) {
    using A = factor_type<bf16, bf16>;
    Threads threads(1);
    // Rows side by side: the first number of the next one is NaN.
    std::vector<A> a(2 * 7, A(1.f));
    a[7] = A(std::numeric_limits<float>::quiet_NaN());
    const auto c = product(threads, {1, 2, 40, 1, 7}, a, std::vector<bf16>(7 * 40, bf16(0.5f)), true, false);
    for (std::size_t j = 0; j < 40; ++j) EXPECT_EQ(c[j], 3.5f) << j;
    for (std::size_t j = 40; j < 80; ++j) EXPECT_TRUE(std::isnan(c[j])) << j;
}
TEST(Matmul, WideAndShort) { check<float>({1, 3, 5200, 1, 16}); }
TEST(Matmul, RowsThatAliasInTheCacheAreCopied) { check<float>({1, 40, 40, 1, 1024}); }

TEST(Matmul, ARowDoesNotDependOnTheOthers) {
    Threads threads(2);
    const MatmulShape many{1, 200, 90, 1, 700}, single{1, 1, 90, 1, 700};
    const auto a = noise(200 * 700, 3), w = noise(90 * 700, 4);
    const auto c = product(threads, many, a, w, true, false);
    const std::vector<float> last(a.end() - 700, a.end());
    const auto d = product(threads, single, last, w, true, false);
    EXPECT_EQ(std::vector<float>(c.end() - 90, c.end()), d);
}

/// The share of its time in which the busiest of the threads works, as they take work tiles one by one.
double evenness(const MatmulShape& s, const MatmulPlan& p, int threads) {
    std::vector<index_t> work(static_cast<std::size_t>(threads));
    index_t all = 0;
    for (index_t n0 = 0; n0 < s.n; n0 += p.columns)
        for (index_t m0 = 0; m0 < s.m; m0 += p.rows) {
            const index_t sums = (std::min)(p.rows, s.m - m0) * (std::min)(p.columns, s.n - n0);
            *std::min_element(work.begin(), work.end()) += sums;
            all += sums;
        }
    return double(all) / threads / double(*std::max_element(work.begin(), work.end()));
}

// The products of Stable Diffusion's UNet at 256×256. Few rows leave many threads work of their own by columns.
TEST(Matmul, ManyThreadsShareTheWorkEvenly) {
    for (const MatmulShape& s : {MatmulShape{1, 2048, 320, 9, 320}, {1, 2048, 2560, 1, 320}, {1, 512, 640, 9, 640},
                                 {1, 512, 5120, 1, 640}, {1, 128, 1280, 9, 1280}, {1, 128, 10240, 1, 1280},
                                 {1, 32, 1280, 9, 1280}, {1, 2, 1280, 1, 1280}})
        for (const int threads : {1, 2, 4, 8, 16}) {
            const MatmulPlan p(s, threads);
            EXPECT_GE(evenness(s, p, threads), 0.8) << s.m << ' ' << s.n << ' ' << threads;
            // Each block of rows reads all of B.
            EXPECT_GE(p.rows, (std::min<index_t>)(s.m, 2 * host_tile_rows)) << s.m << ' ' << s.n << ' ' << threads;
        }
}
TEST(Matmul, SixteenThreadsChangeNoBit) {
    Threads one(1), many(16);
    for (const MatmulShape& s : {MatmulShape{1, 130, 300, 2, 70}, {1, 3, 1280, 1, 65}, {2, 33, 96, 1, 40}}) {
        const auto a = noise(static_cast<std::size_t>(s.batch * s.m * s.segments * s.k), 7);
        const auto w = noise(static_cast<std::size_t>(s.n * s.segments * s.k), 8);
        EXPECT_EQ(product(one, s, a, w, true, false), product(many, s, a, w, true, false)) << s.m;
    }
}

TEST(Matmul, AnEmptySumIsZero) {
    Threads threads(2);
    const std::vector<float> nothing(1);
    for (const float x : product(threads, {1, 5, 40, 1, 0}, nothing, nothing, true, false)) EXPECT_EQ(x, 0.f);
}

TEST(Matmul, NanReachesItsRowAlone) {
    Threads threads(2);
    const MatmulShape s{1, 20, 40, 1, 30};
    auto a = noise(600, 5);
    a[7 * 30 + 3] = std::numeric_limits<float>::quiet_NaN();
    const auto c = product(threads, s, a, noise(1200, 6), true, false);
    for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(std::isnan(c[i]), i / 40 == 7);
}

}  // namespace
