// SPDX-License-Identifier: Apache-2.0
/// Products in tile registers that plain loops replace, beside sums in double; in the processor's own where it has them.
#include <inlay/tile/host/amx.hpp>
#include <inlay/tile/host/attention.hpp>
#include <inlay/tile/host/matmul.hpp>
#include <inlay/tile/host/pack.hpp>

#include "plain_tiles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

#if INLAY_HAS_AMX
using namespace inlay;
using namespace inlay::on_host;

/// Rows of C, as `multiply_step` leaves them: of two k-blocks where `second` is not 0.
template <class R>
std::vector<float> product(index_t m, index_t n, index_t first, index_t second) {
    const index_t k = first + second, stride = k + 6, room = (m + 15) / 16 * 16, ldc = packed_size(n, 2) / 2 + 5;
    std::vector<bf16> a(static_cast<std::size_t>(room * stride), to_storage<bf16>(1e30f));  // beyond m: as memory is
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < k; ++j)
            a[static_cast<std::size_t>(i * stride + j)] = to_storage<bf16>(static_cast<float>((i * 7 + j * 5) % 11 - 5));
    std::vector<bf16> w(static_cast<std::size_t>(n * k)), packed(static_cast<std::size_t>(packed_size(n, k)));
    for (index_t i = 0; i < n * k; ++i)
        w[static_cast<std::size_t>(i)] = to_storage<bf16>(static_cast<float>(i * 3 % 17 - 8));
    Threads threads(1);
    on_host::pack(w.data(), k, n, k, packed.data(), threads);
    std::vector<float> c(static_cast<std::size_t>(room * ldc), std::numeric_limits<float>::quiet_NaN());
    const index_t panel = packed_depth(k) * host_panel;
    amx::multiply_step<R, 192>(a.data(), stride, m, packed.data(), panel, n, first, c.data(), ldc, false);
    if (second > 0)
        amx::multiply_step<R, 192>(a.data() + first, stride, m, packed.data() + first * host_panel, panel, n, second,
                              c.data(), ldc, true);
    std::vector<float> rows;
    for (index_t i = 0; i < m; ++i) rows.insert(rows.end(), &c[std::size_t(i * ldc)], &c[std::size_t(i * ldc + n)]);
    return rows;
}

// Whole numbers, whose sums are exact.
template <class R>
void check(index_t m, index_t n, index_t first, index_t second = 0) {
    const std::vector<float> c = product<R>(m, n, first, second);
    const index_t k = first + second;
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) {
            double sum = 0;
            for (index_t l = 0; l < k; ++l) sum += double((i * 7 + l * 5) % 11 - 5) * double((j * k + l) * 3 % 17 - 8);
            ASSERT_EQ(c[std::size_t(i * n + j)], sum) << i << ' ' << j << " of " << m << ' ' << n << ' ' << k;
        }
}
template <class R>
void check_all() {
    check<R>(1, 1, 2);              // no whole tile
    check<R>(1, 32, 32);
    check<R>(16, 32, 64);
    check<R>(17, 33, 34);           // two tiles of rows, a second panel, a remainder of K
    check<R>(70, 100, 96, 48);
    check<R>(168, 40, 512);
    check<R>(33, 5, 30, 66);
}

std::vector<bf16> noise(index_t n, unsigned seed) {
    std::mt19937 g(seed);
    std::normal_distribution<float> normal;
    std::vector<bf16> v(static_cast<std::size_t>(n));
    for (bf16& x : v) x = bf16(normal(g));
    return v;
}
double at(const std::vector<bf16>& v, index_t i) { return from_storage<double>(v[static_cast<std::size_t>(i)]); }

/// A whole product by tiles, in place or copied, beside sums in double.
template <class Tiles>
void check_product(const MatmulShape& s) {
    const index_t k = s.segments * s.k, size = packed_size(s.n, k);
    const auto a = noise(s.batch * s.m * k, 1), w = noise(s.n * k, 2);
    std::vector<bf16> packed(static_cast<std::size_t>(size));
    const auto run = [&](int count, index_t rows) {
        Threads threads(count);
        on_host::pack(w.data(), k, s.n, k, packed.data(), threads);
        std::vector<float> c(static_cast<std::size_t>(s.batch * rows * s.n), std::numeric_limits<float>::quiet_NaN());
        matmul<bf16, Tiles>(
            threads, {s.batch, rows, s.n, s.segments, s.k},
            [&](index_t b, index_t m, index_t segment, index_t k0, index_t, bf16*) {
                return a.data() + ((b * s.m + m) * s.segments + segment) * s.k + k0;
            },
            packed.data(), 0,
            [&](index_t b, index_t m, index_t n0, index_t n, const float* sums) {
                std::copy_n(sums, n, &c[static_cast<std::size_t>((b * rows + m) * s.n + n0)]);
            });
        return c;
    };
    const auto c = run(3, s.m);
    for (index_t r = 0; r < s.batch * s.m; ++r)
        for (index_t j = 0; j < s.n; ++j) {
            double sum = 0, all = 0;
            for (index_t i = 0; i < k; ++i) {
                const double x = at(a, r * k + i) * at(w, j * k + i);
                sum += x, all += std::fabs(x);
            }
            ASSERT_NEAR(c[static_cast<std::size_t>(r * s.n + j)], sum, 6e-8 * double(k + 1) * all)
                << r << ' ' << j << " of " << s.m << ' ' << s.n << ' ' << s.segments << ' ' << s.k;
        }
    EXPECT_EQ(c, run(1, s.m)) << "the number of threads changed the result";
    const auto first = run(1, 1);
    EXPECT_EQ(std::vector<float>(c.begin(), c.begin() + s.n), std::vector<float>(first.begin(), first.begin() + s.n))
        << "the rows beside it changed the first";
}
template <class Tiles>
void check_products() {
    check_product<Tiles>({1, 1, 1, 1, 1});
    check_product<Tiles>({1, 2, 70, 1, 33});
    check_product<Tiles>({2, 35, 40, 1, 700});    // k-blocks of whole tiles, and a remainder
    check_product<Tiles>({1, 20, 33, 9, 20});     // several segments in a k-block
    check_product<Tiles>({1, 17, 64, 3, 411});    // odd segments share pairs
    check_product<Tiles>({1, 600, 32, 1, 64});    // more rows than a work tile has
}

/// Relative L2 of attention by tiles from sums in double: weights are rounded to bf16.
template <class Tiles>
void check_attention(const on_host::AttentionShape& s) {
    const auto q = noise(s.batch * s.queries * s.d, 3), k = noise(s.batch * s.keys * s.d, 4),
               v = noise(s.batch * s.keys * s.dv, 5);
    const float scale = 1 / std::sqrt(float(s.d));
    const auto run = [&](int count) {
        Threads threads(count);
        std::vector<float> y(static_cast<std::size_t>(s.batch * s.queries * s.dv), 0);
        const auto hide = [](index_t, index_t, index_t, index_t, float*) {};
        const auto store = [&](index_t b, index_t i, const float* row) {
            std::copy_n(row, s.dv, &y[static_cast<std::size_t>((b * s.queries + i) * s.dv)]);
        };
        const auto visits = [&](index_t, index_t, index_t, index_t size) {
            return AllKeys{(s.keys + size - 1) / size};
        };
        attention<bf16, Tiles>(
            threads, s, SoftmaxRows<decltype(hide), decltype(store)>{scale, hide, store, s.dv}, visits,
            [&](index_t b, index_t i, bf16*) { return q.data() + (b * s.queries + i) * s.d; },
            [&](index_t b, index_t i, bf16*) { return k.data() + (b * s.keys + i) * s.d; },
            [&](index_t b, index_t i, bf16*) { return v.data() + (b * s.keys + i) * s.dv; });
        return y;
    };
    const auto y = run(1);
    EXPECT_EQ(y, run(3)) << "the number of threads changed the result";
    double error = 0, size = 0;
    for (index_t b = 0; b < s.batch; ++b)
        for (index_t i = 0; i < s.queries; ++i) {
            std::vector<double> weights;
            double all = 0;
            for (index_t j = 0; j < s.keys; ++j) {
                double x = 0;
                for (index_t e = 0; e < s.d; ++e)
                    x += at(q, (b * s.queries + i) * s.d + e) * at(k, (b * s.keys + j) * s.d + e);
                weights.push_back(std::exp(x * double(scale)));
                all += weights.back();
            }
            for (index_t e = 0; e < s.dv; ++e) {
                double want = 0;
                for (index_t j = 0; j < s.keys; ++j)
                    want += weights[static_cast<std::size_t>(j)] / all * at(v, (b * s.keys + j) * s.dv + e);
                const double got = static_cast<double>(y[static_cast<std::size_t>((b * s.queries + i) * s.dv + e)]);
                error += (got - want) * (got - want), size += want * want;
            }
        }
    EXPECT_LE(std::sqrt(error / size), 0x1p-9 * 1.25) << s.queries << ' ' << s.keys << ' ' << s.d << ' ' << s.dv;
}
template <class Tiles>
void check_attentions() {
    check_attention<Tiles>({2, 37, 77, 40, 40});
    check_attention<Tiles>({1, 5, 300, 7, 19});    // two blocks of keys, odd widths
    check_attention<Tiles>({1, 17, 33, 160, 33});  // two slices
    check_attention<Tiles>({1, 230, 32, 8, 8});    // more queries than a work tile has
}

// Stable Diffusion's products at 256×256: tiles are whole, and no thread has much more to do than others.
TEST(Amx, DivisionOfProducts) {
    for (const MatmulShape& s : {MatmulShape{1, 2048, 320, 9, 320}, {1, 2048, 2560, 1, 320}, {1, 512, 640, 9, 640},
                                 {1, 512, 5120, 1, 640}, {1, 128, 1280, 9, 1280}, {1, 128, 10240, 1, 1280},
                                 {1, 32, 1280, 9, 1280}, {1, 2, 1280, 1, 1280}, {4, 128, 1280, 4, 1280}})
        for (const index_t threads : {1, 4, 16}) {
            const amx::Division d(s, threads);
            EXPECT_TRUE(d.rows > 0 && d.rows % 32 == 0 && d.rows <= amx::Division::row_limit) << d.rows;
            EXPECT_TRUE(d.columns > 0 && d.columns % 32 == 0) << d.columns;
            EXPECT_LE(d.rows * d.columns, amx::Division::sum_limit);
            const auto up = [](index_t a, index_t b) { return (a + b - 1) / b; };
            const index_t tasks = s.batch * up(s.m, d.rows) * up(s.n, d.columns);
            const double busiest = double(up(tasks, threads) * d.rows * d.columns);
            const double all = double(s.batch * up(s.m, 32) * 32 * s.n);
            EXPECT_GE(all / double(threads) / busiest, 0.75) << s.m << ' ' << s.n << ' ' << threads;
        }
}
// Whole tiles of K where a segment has more than a k-block: the micro kernel has nothing to do.
TEST(Amx, BlocksOfKAreWholeTiles) {
    for (const index_t k : {320, 640, 960, 1280, 1920, 2560, 5120}) {
        const MatmulPlan p({1, 128, 1280, 9, k}, 16, sizeof(bf16), 2, true);
        EXPECT_EQ(p.depth % amx::tile_depth, 0) << k;
        EXPECT_EQ(k % p.depth % amx::tile_depth, 0) << k;
    }
}
TEST(Amx, ProductsByPlainLoops) { check_products<plain_tiles::Loops>(); }
TEST(Amx, AttentionByPlainLoops) { check_attentions<plain_tiles::Loops>(); }
TEST(Amx, ProductsAndAttentionByTheProcessor) {
    if (!processor_runs_amx()) GTEST_SKIP() << "this processor has no AMX";
    check_products<amx::Processor>();
    check_attentions<amx::Processor>();
}
TEST(Amx, TilesOfPlainLoops) { check_all<plain_tiles::Registers>(); }
TEST(Amx, TilesOfTheProcessor) {
    if (!processor_runs_amx()) GTEST_SKIP() << "this processor has no AMX";
    check_all<amx::Registers>();
}
#else
TEST(Amx, Tiles) { GTEST_SKIP() << "compiled for a processor without AVX512-BF16"; }
#endif

}  // namespace
