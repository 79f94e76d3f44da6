// SPDX-License-Identifier: Apache-2.0
/// Products in tile registers that plain loops replace, beside sums in double; in the processor's own where it has them.
#include <inlay/tile/host/amx.hpp>
#include <inlay/tile/host/matmul.hpp>
#include <inlay/tile/host/pack.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace {

#if INLAY_HAS_AMX
using namespace inlay;
using namespace inlay::on_host;

/// Tile registers as the manual has them: pairs of bf16 along K, whose firsts and seconds are summed apart.
class Loops {
    char bytes_[8][16][64];

    template <class T>
    T at(int tile, index_t row, index_t i) const {
        T x;
        std::memcpy(&x, bytes_[tile][row] + i * index_t(sizeof(T)), sizeof(T));
        return x;
    }

public:
    template <int T>
    void zero() {
        std::memset(bytes_[T], 0, sizeof(bytes_[T]));
    }
    template <int T>
    void load(const void* from, index_t stride) {
        for (index_t i = 0; i < 16; ++i) std::memcpy(bytes_[T][i], static_cast<const char*>(from) + i * stride, 64);
    }
    template <int T>
    void store(void* to, index_t stride) {
        for (index_t i = 0; i < 16; ++i) std::memcpy(static_cast<char*>(to) + i * stride, bytes_[T][i], 64);
    }
    template <int C, int A, int B>
    void multiply() {
        for (index_t m = 0; m < 16; ++m)
            for (index_t n = 0; n < 16; ++n) {
                float sum[2] = {0, 0};
                for (index_t k = 0; k < 16; ++k)
                    for (index_t i = 0; i < 2; ++i)
                        sum[i] += from_storage<float>(at<bf16>(A, m, 2 * k + i)) *
                                  from_storage<float>(at<bf16>(B, k, 2 * n + i));
                const float c = at<float>(C, m, n) + (sum[0] + sum[1]);
                std::memcpy(bytes_[C][m] + n * index_t(sizeof(float)), &c, sizeof(c));
            }
    }
};

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

TEST(Amx, TilesOfPlainLoops) { check_all<Loops>(); }
TEST(Amx, TilesOfTheProcessor) {
    if (!processor_runs_amx()) GTEST_SKIP() << "this processor has no AMX";
    check_all<amx::Registers>();
}
#else
TEST(Amx, Tiles) { GTEST_SKIP() << "compiled for a processor without AVX512-BF16"; }
#endif

}  // namespace
