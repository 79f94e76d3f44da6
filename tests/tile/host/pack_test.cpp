// SPDX-License-Identifier: Apache-2.0
#include <inlay/tile/host/pack.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;

/// bf16 lies in pairs along K where the processor multiplies it, and not elsewhere; other types never do.
template <class T>
void expect_panels(index_t step) {
    Threads threads(3);
    for (const index_t n : {index_t(1), index_t(host_panel), index_t(host_panel + 1), index_t(3 * host_panel - 1)})
        for (const index_t k : {1, 63, 64, 65, 200}) {
            const index_t stride = k + 5;
            std::vector<T> w(static_cast<std::size_t>(n * stride), T(-1.f));
            const auto number = [](index_t j, index_t i) { return static_cast<float>((j * 31 + i * 7) % 127); };
            for (index_t j = 0; j < n; ++j)
                for (index_t i = 0; i < k; ++i) w[static_cast<std::size_t>(j * stride + i)] = T(number(j, i));
            const auto size = static_cast<std::size_t>(packed_size(n, k));
            const index_t depth = host_multiplies_bf16 ? (k + 1) / 2 * 2 : k, written = step == 2 ? depth : k;
            ASSERT_EQ(size, static_cast<std::size_t>((n + host_panel - 1) / host_panel * host_panel * depth));
            std::vector<T> out(size + 1, T(-2.f));
            pack(w.data(), stride, n, k, out.data(), threads);
            EXPECT_EQ(static_cast<float>(out.back()), -2.f);
            for (index_t j = 0; j < data(n) * host_panel; ++j)
                for (index_t i = 0; i < written; ++i) {
                    const index_t panel = j / host_panel * depth * host_panel,
                                  in_it = (i / step * host_panel + j % host_panel) * step + i % step;
                    ASSERT_EQ(static_cast<float>(out[static_cast<std::size_t>(panel + in_it)]),
                              j < n && i < k ? number(j, i) : 0.f)
                        << n << ' ' << k << ": " << j << ' ' << i;
                }
        }
}
TEST(Pack, PanelsOfColumnsWithZerosBehindTheLast) {
    expect_panels<bf16>(host_multiplies_bf16 ? 2 : 1);
    expect_panels<fp16>(1);
    expect_panels<float>(1);
}
TEST(Pack, NothingIsNothing) {
    EXPECT_EQ(packed_size(0, 10), 0);
    EXPECT_EQ(packed_size(10, 0), 0);
}

}  // namespace
