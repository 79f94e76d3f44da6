// SPDX-License-Identifier: Apache-2.0
/// Bound operands in the loop of a product: padding between rows, batches with weights of their own, gates.
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/tile/host/matmul.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;

std::vector<float> numbers(index_t n, int step) {
    std::vector<float> v;
    for (index_t i = 0; i < n; ++i) v.push_back(static_cast<float>(i * step % 11) - 5);
    return v;
}
std::vector<float> packed(const std::vector<float>& w, index_t batch, index_t n, index_t k, on_host::Threads& threads) {
    std::vector<float> panels(static_cast<std::size_t>(batch * on_host::packed_size(n, k)));
    on_host::pack_blocks(w.data(), batch, n, k, panels.data(), threads);
    return panels;
}

/// Row m of A is row m − 1 of the operand, and there is none above the first.
struct Shifted {
    struct Row {
        index_t batch, m;
    };
    Row row(index_t batch, index_t m) const { return {batch, m}; }
    bool at(const Row& r, index_t, Extents<3>& c) const {
        c = {{r.batch, r.m - 1, 0}};
        return r.m > 0;
    }
};

// Small whole numbers: every sum is exact.
TEST(HostBoundMatmul, PaddingAndBatches) {
    constexpr index_t batch = 2, m = 5, n = 21, k = 7;
    struct product : Linear<Buf<0>, Add<Out, Const<1.0>>> {};
    on_host::Threads threads(2);
    auto x = numbers(batch * m * k, 7), w = numbers(batch * n * k, 5);
    std::vector<float> y(batch * m * n, -1);
    const auto panels = packed(w, batch, n, k, threads);
    const auto p = prepare<product>(tensor(y.data(), batch, m, n), tensor(w.data(), batch, n, k),
                                    tensor(x.data(), batch, m, k));
    const auto place = [](index_t b, index_t i) { return Extents<3>{{b, i, 0}}; };
    on_host::bound_matmul(threads, {batch, m, n, 1, k}, panels.data(), get<0>(p.in), Shifted{}, p.epilogue, p.sink,
                          place);
    for (index_t b = 0; b < batch; ++b)
        for (index_t i = 0; i < m; ++i)
            for (index_t j = 0; j < n; ++j) {
                float sum = 1;
                for (index_t l = 0; l < k && i > 0; ++l)
                    sum += x[static_cast<std::size_t>((b * m + i - 1) * k + l)] *
                           w[static_cast<std::size_t>((b * n + j) * k + l)];
                EXPECT_EQ(y[static_cast<std::size_t>((b * m + i) * n + j)], sum) << b << ' ' << i << ' ' << j;
            }
}
TEST(HostBoundMatmul, Gates) {
    constexpr index_t m = 3, n = 48, k = 4;
    struct gate : Linear<Buf<0>, Sub<Out, OutGate>> {};
    on_host::Threads threads(1);
    auto x = numbers(m * k, 3), w = numbers(2 * n * k, 5);
    std::vector<float> y(m * n, -1);
    const auto panels = packed(w, 1, 2 * n, k, threads);
    const auto p = prepare<gate>(tensor(y.data(), m, n), tensor(w.data(), 2 * n, k), tensor(x.data(), m, k));
    const TensorRows<2> rows{{{m, 1}}, m};
    on_host::bound_matmul(threads, {1, m, 2 * n, 1, k}, panels.data(), get<0>(p.in), rows, p.epilogue, p.sink, rows);
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) {
            const index_t row = j / 16 * 32 + j % 16;
            float difference = 0;
            for (index_t l = 0; l < k; ++l) {
                const float of_out = w[static_cast<std::size_t>(row * k + l)],
                            of_gate = w[static_cast<std::size_t>((row + 16) * k + l)];
                difference += x[static_cast<std::size_t>(i * k + l)] * (of_out - of_gate);
            }
            EXPECT_EQ(y[static_cast<std::size_t>(i * n + j)], difference) << i << ' ' << j;
        }
}

}  // namespace
