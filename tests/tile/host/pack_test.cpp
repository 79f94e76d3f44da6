// SPDX-License-Identifier: Apache-2.0
#include <inlay/tile/host/pack.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;

TEST(Pack, PanelsOfColumnsWithZerosBehindTheLast) {
    Threads threads(3);
    for (const index_t n : {index_t(1), index_t(host_panel), index_t(host_panel + 1), index_t(3 * host_panel - 1)})
        for (const index_t k : {1, 63, 64, 65, 200}) {
            const index_t stride = k + 5;
            std::vector<bf16> w(static_cast<std::size_t>(n * stride), bf16(-1.f));
            const auto number = [](index_t j, index_t i) { return static_cast<float>((j * 31 + i * 7) % 127); };
            for (index_t j = 0; j < n; ++j)
                for (index_t i = 0; i < k; ++i) w[static_cast<std::size_t>(j * stride + i)] = bf16(number(j, i));
            const auto size = static_cast<std::size_t>(packed_size(n, k));
            ASSERT_EQ(size, static_cast<std::size_t>((n + host_panel - 1) / host_panel * host_panel * k));
            std::vector<bf16> out(size + 1, bf16(-2.f));
            pack(w.data(), stride, n, k, out.data(), threads);
            EXPECT_EQ(static_cast<float>(out.back()), -2.f);
            for (index_t j = 0; j < data(n) * host_panel; ++j)
                for (index_t i = 0; i < k; ++i)
                    ASSERT_EQ(static_cast<float>(out[static_cast<std::size_t>(
                                  (j / host_panel * k + i) * host_panel + j % host_panel)]),
                              j < n ? number(j, i) : 0.f)
                        << n << ' ' << k << ": " << j << ' ' << i;
        }
}
TEST(Pack, NothingIsNothing) {
    EXPECT_EQ(packed_size(0, 10), 0);
    EXPECT_EQ(packed_size(10, 0), 0);
}

}  // namespace
