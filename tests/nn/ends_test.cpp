// SPDX-License-Identifier: Apache-2.0
/// Kernels at the ends of networks, against plain loops in double.
#include <inlay/exec/host.hpp>
#include <inlay/inlay.hpp>
#include <inlay/nn/ends.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>
#include <vector>

namespace {

using namespace inlay;

std::vector<float> numbers(index_t n, double seed) {
    std::vector<float> x;
    for (index_t i = 0; i < n; ++i)
        x.push_back(static_cast<float>(std::sin(seed + 1.7 * static_cast<double>(i)) +
                                       0.3 * std::cos(static_cast<double>(i * i))));
    return x;
}
double at(const std::vector<float>& v, index_t i) { return v[static_cast<std::size_t>(i)]; }

TEST(NetworkEnds, NormSiluIsOf32GroupsWithItsEpsilon) {
    constexpr index_t batch = 2, h = 2, w = 3, c = 64, group = c / 32;
    constexpr double eps = 0.25;  // large, so that another one is seen
    const auto x = numbers(batch * h * w * c, 1), gamma = numbers(c, 2), beta = numbers(c, 3);
    std::vector<float> y(x.size());
    Host host(1);
    prepare<nn::norm_silu<eps>>(tensor(y.data(), batch, h, w, c), tensor(gamma.data(), c), tensor(beta.data(), c),
                                tensor(x.data(), batch, h, w, c))
        .run(host);
    for (index_t b = 0; b < batch; ++b)
        for (index_t g = 0; g < 32; ++g) {
            const auto index = [&](index_t i) { return (b * h * w + i / group) * c + g * group + i % group; };
            double mean = 0, square = 0;
            constexpr index_t n = h * w * group;
            for (index_t i = 0; i < n; ++i) mean += at(x, index(i)) / n;
            for (index_t i = 0; i < n; ++i) square += std::pow(at(x, index(i)) - mean, 2) / n;
            for (index_t i = 0; i < n; ++i) {
                const index_t channel = g * group + i % group;
                const double v =
                    (at(x, index(i)) - mean) / std::sqrt(square + eps) * at(gamma, channel) + at(beta, channel);
                EXPECT_NEAR(at(y, index(i)), v / (1 + std::exp(-v)), 1e-5);
            }
        }
}
TEST(NetworkEnds, Conv3x3PadsByOneAndAddsItsBias) {
    constexpr index_t h = 3, w = 4, in = 5, out = 6;
    const auto x = numbers(h * w * in, 1), f = numbers(out * 9 * in, 2), bias = numbers(out, 3);
    std::vector<float> y(static_cast<std::size_t>(h * w * out)), packed(1 << 12);
    Host host(1);
    ASSERT_LE(Host::packed_size(1, out, 9 * in), static_cast<index_t>(packed.size()));
    const auto weights = host.pack(Tensor<const float, 4>(f.data(), {{out, 3, 3, in}}), packed.data());
    prepare<nn::conv3x3>(tensor(y.data(), 1, h, w, out), weights, tensor(x.data(), 1, h, w, in),
                         tensor(bias.data(), out))
        .run(host);
    for (index_t r = 0; r < h; ++r)
        for (index_t s = 0; s < w; ++s)
            for (index_t o = 0; o < out; ++o) {
                double sum = at(bias, o);
                for (index_t t = 0; t < 9; ++t) {
                    const index_t a = r + t / 3 - 1, b = s + t % 3 - 1;
                    if (a < 0 || a >= h || b < 0 || b >= w) continue;
                    for (index_t i = 0; i < in; ++i) sum += at(x, (a * w + b) * in + i) * at(f, (o * 9 + t) * in + i);
                }
                EXPECT_NEAR(at(y, (r * w + s) * out + o), sum, 1e-5);
            }
}
TEST(NetworkEnds, LinearBiasAddsTheBiasOfItsColumn) {
    constexpr index_t m = 3, n = 5, k = 7;
    const auto x = numbers(m * k, 1), w = numbers(n * k, 2), bias = numbers(n, 3);
    std::vector<float> y(static_cast<std::size_t>(m * n)), packed(1 << 12);
    Host host(1);
    ASSERT_LE(Host::packed_size(1, n, k), static_cast<index_t>(packed.size()));
    const auto weights = host.pack(Tensor<const float, 2>(w.data(), {{n, k}}), packed.data());
    prepare<nn::linear_bias>(tensor(y.data(), m, n), weights, tensor(x.data(), m, k), tensor(bias.data(), n)).run(host);
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) {
            double sum = at(bias, j);
            for (index_t l = 0; l < k; ++l) sum += at(x, i * k + l) * at(w, j * k + l);
            EXPECT_NEAR(at(y, i * n + j), sum, 1e-5);
        }
}
TEST(NetworkEnds, FinalNormHasPyTorchsEpsilon) {
    constexpr index_t m = 2, c = 8;
    auto x = numbers(m * c, 1);
    for (float& v : x) v *= 0.01f;  // of a variance that 1e-5 changes
    const auto gamma = numbers(c, 2), beta = numbers(c, 3);
    std::vector<float> y(x.size());
    Host host(1);
    prepare<nn::final_norm>(tensor(y.data(), m, c), tensor(gamma.data(), c), tensor(beta.data(), c),
                            tensor(x.data(), m, c))
        .run(host);
    for (index_t r = 0; r < m; ++r) {
        double mean = 0, square = 0;
        for (index_t i = 0; i < c; ++i) mean += at(x, r * c + i) / c;
        for (index_t i = 0; i < c; ++i) square += std::pow(at(x, r * c + i) - mean, 2) / c;
        for (index_t i = 0; i < c; ++i)
            EXPECT_NEAR(at(y, r * c + i),
                        (at(x, r * c + i) - mean) / std::sqrt(square + 1e-5) * at(gamma, i) + at(beta, i), 1e-5);
    }
}
TEST(NetworkEnds, ValuesAreRoundedForNarrowWeightsAlone) {
    static_assert(std::is_same_v<nn::Rounded<Buf<0>, float>, Buf<0>>);
    static_assert(std::is_same_v<nn::Rounded<Buf<0>, fp16>, Cast<Buf<0>, fp16>>);
    static_assert(std::is_same_v<nn::Rounded<Buf<0>, bf16>, Cast<Buf<0>, bf16>>);
}

}  // namespace
