// SPDX-License-Identifier: Apache-2.0
/// Against the definition: every input pixel adds its filter, scaled, to the output.
#include <inlay/exec/host.hpp>
#include <inlay/exec/oracle.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/expr/binary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/kernel/conv_transpose2d.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {
using namespace inlay;

template <int K, int Stride, int Pad, int OutPad>
void check(index_t b, index_t h, index_t w, index_t channels, index_t out) {
    std::mt19937 engine(static_cast<unsigned>(K * 100 + Stride * 10 + Pad));
    std::normal_distribution<float> normal;
    const auto fill = [&](index_t n) {
        std::vector<float> v(static_cast<std::size_t>(n));
        for (float& x : v) x = normal(engine);
        return v;
    };
    const index_t oh = (h - 1) * Stride - 2 * Pad + K + OutPad, ow = (w - 1) * Stride - 2 * Pad + K + OutPad;
    const auto x = fill(b * h * w * channels), filter = fill(channels * out * K * K), bias = fill(out);
    std::vector<float> flipped(filter.size()), y(static_cast<std::size_t>(b * oh * ow * out), NAN);
    std::vector<double> exact(y.size()), expected(y.size());
    transposed_filter(filter.data(), channels, out, K, flipped.data());

    // SiLU first: between the pixels stand zeros, not SiLU of anything.
    using Kernel = ConvTranspose2D<K, Stride, Pad, OutPad, Silu<Buf<0>>, Add<Out, Buf<1>>>;
    const auto weight = tensor(flipped.data(), out, K, K, channels);
    Host host(2);
    prepare<Kernel>(tensor(y.data(), b, oh, ow, out), weight, tensor(x.data(), b, h, w, channels), tensor(bias.data(), out))
        .run(host);
    Oracle oracle;
    prepare<Kernel>(tensor(exact.data(), b, oh, ow, out), weight, tensor(x.data(), b, h, w, channels),
                    tensor(bias.data(), out))
        .run(oracle);

    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<double>(bias[i % bias.size()]);
    for (index_t n = 0; n < b; ++n)
        for (index_t i = 0; i < h; ++i)
            for (index_t j = 0; j < w; ++j)
                for (index_t c = 0; c < channels; ++c) {
                    const double v = static_cast<double>(x[static_cast<std::size_t>(((n * h + i) * w + j) * channels + c)]);
                    for (index_t r = 0; r < K; ++r)
                        for (index_t s = 0; s < K; ++s) {
                            const index_t p = i * Stride - Pad + r, q = j * Stride - Pad + s;
                            if (p < 0 || p >= oh || q < 0 || q >= ow) continue;
                            for (index_t o = 0; o < out; ++o)
                                expected[static_cast<std::size_t>(((n * oh + p) * ow + q) * out + o)] +=
                                    v / (1 + std::exp(-v)) *
                                    static_cast<double>(
                                        filter[static_cast<std::size_t>(((c * out + o) * K + r) * K + s)]);
                        }
                }
    for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_NEAR(exact[i], expected[i], 1e-6) << i;
        ASSERT_NEAR(y[i], expected[i], 1e-4 * (1 + std::abs(expected[i]))) << i;
    }
}

TEST(ConvTranspose2D, AgainstItsDefinition) {
    check<2, 2, 0, 0>(1, 4, 5, 3, 4);
    check<3, 2, 1, 1>(2, 3, 4, 16, 5);
    check<4, 2, 1, 0>(1, 5, 3, 7, 17);
    check<3, 1, 1, 0>(3, 4, 4, 4, 3);
    check<3, 3, 0, 0>(1, 2, 3, 5, 2);
}

}  // namespace
