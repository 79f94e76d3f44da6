// SPDX-License-Identifier: Apache-2.0
#include <inlay/tile/host/micro.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;

// Whole numbers, so that every order of the sum is exact.
float a_of(index_t row, index_t i) { return static_cast<float>((row * 5 + i * 3) % 11 - 5); }
float b_of(index_t i, index_t column) { return static_cast<float>((i * 7 + column * 2) % 13 - 6); }

struct Panel {
    index_t k;
    std::vector<float> a, b;
    std::vector<const float*> rows;

    Panel(index_t m, index_t k_) : k(k_) {
        for (index_t r = 0; r < m; ++r)
            for (index_t i = 0; i < k; ++i) a.push_back(a_of(r, i));
        for (index_t i = 0; i < k; ++i)
            for (index_t j = 0; j < host_panel; ++j) b.push_back(b_of(i, j));
        for (index_t r = 0; r < m; ++r) rows.push_back(a.data() + r * k);
    }
    float sum(index_t row, index_t column) const {
        float s = 0;
        for (index_t i = 0; i < k; ++i) s += a_of(row, i) * b_of(i, column);
        return s;
    }
};

// Every count of rows below two tiles and some, each with one vector and two: columns past the last whole vector and
// rows past the last are left alone.
TEST(Micro, RowsAndColumnsThatAreAskedFor) {
    constexpr index_t ldc = host_panel + 3;
    const float untouched = -1234;
    for (index_t m = 1; m <= 2 * host_tile_rows + 3; ++m)
        for (const index_t n : {index_t(1), index_t(host_lanes), index_t(host_lanes + 1), index_t(host_panel)}) {
            const Panel p(m, 9);
            std::vector<float> c(static_cast<std::size_t>((m + 1) * ldc), untouched);
            multiply_panel(p.rows.data(), m, p.b.data(), n, p.k, c.data(), ldc, false);
            const index_t written = n > host_lanes ? host_panel : host_lanes;
            for (index_t r = 0; r <= m; ++r)
                for (index_t j = 0; j < ldc; ++j)
                    ASSERT_EQ(c[static_cast<std::size_t>(r * ldc + j)],
                              r < m && j < written ? p.sum(r, j) : untouched)
                        << m << " rows, " << n << " columns, at " << r << ", " << j;
        }
}
TEST(Micro, AddsToWhatIsThere) {
    const Panel p(3, 5);
    std::vector<float> c(3 * host_panel, 100);
    multiply_panel(p.rows.data(), 3, p.b.data(), host_panel, p.k, c.data(), host_panel, true);
    for (index_t r = 0; r < 3; ++r)
        for (index_t j = 0; j < host_panel; ++j)
            EXPECT_EQ(c[static_cast<std::size_t>(r * host_panel + j)], 100 + p.sum(r, j));
    multiply_panel(p.rows.data(), 3, p.b.data(), host_panel, 0, c.data(), host_panel, false);
    EXPECT_EQ(std::count(c.begin(), c.end(), 0.0f), 3 * host_panel) << "a sum of nothing";
}
// Thirds are exact nowhere: another order of the sum would show in the last bits.
TEST(Micro, TheOrderOfTheSumIsThatOfEveryShape) {
    constexpr index_t m = 2 * host_tile_rows + 3, k = 77;
    std::vector<float> a, b;
    for (index_t i = 0; i < k; ++i) a.push_back(1.0f / static_cast<float>(3 + i % 19));
    for (index_t i = 0; i < k * host_panel; ++i) b.push_back(1.0f / static_cast<float>(7 + i % 23) - 0.1f);
    const std::vector<const float*> rows(m, a.data());
    std::vector<float> alone(host_panel), all(m * host_panel);
    multiply_panel(rows.data(), 1, b.data(), host_lanes, k, alone.data(), host_panel, false);
    multiply_panel(rows.data(), m, b.data(), host_panel, k, all.data(), host_panel, false);
    for (index_t r = 0; r < m; ++r)
        for (index_t j = 0; j < host_lanes; ++j)
            ASSERT_EQ(all[static_cast<std::size_t>(r * host_panel + j)], alone[static_cast<std::size_t>(j)]) << r;
}

#if defined(__AVX512BF16__)
// The same of pairs of bf16, which hold whole numbers below 256 exactly.
TEST(Micro, PairsOfBf16) {
    constexpr index_t ldc = host_panel + 3, k = 10;
    const float untouched = -1234;
    for (index_t m = 1; m <= host_tile_rows + 3; ++m)
        for (const index_t n : {index_t(host_lanes), index_t(host_panel)}) {
            const Panel p(m, k);
            std::vector<bf16> a, b(p.b.size());
            for (const float x : p.a) a.push_back(bf16(x));
            for (index_t i = 0; i < k; ++i)
                for (index_t j = 0; j < host_panel; ++j)
                    b[static_cast<std::size_t>((i / 2 * host_panel + j) * 2 + i % 2)] = bf16(b_of(i, j));
            std::vector<const bf16*> rows;
            for (index_t r = 0; r < m; ++r) rows.push_back(a.data() + r * k);
            std::vector<float> c(static_cast<std::size_t>((m + 1) * ldc), untouched);
            multiply_panel(rows.data(), m, b.data(), n, k, c.data(), ldc, false);
            multiply_panel(rows.data(), m, b.data(), n, k, c.data(), ldc, true);
            for (index_t r = 0; r <= m; ++r)
                for (index_t j = 0; j < ldc; ++j)
                    ASSERT_EQ(c[static_cast<std::size_t>(r * ldc + j)], r < m && j < n ? 2 * p.sum(r, j) : untouched)
                        << m << " rows, " << n << " columns, at " << r << ", " << j;
        }
}
#endif

}  // namespace
