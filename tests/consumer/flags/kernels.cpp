// SPDX-License-Identifier: Apache-2.0
/// Kernels whose values no flag of floating point may change, against plain loops in double: NaN through them, softmax,
/// a norm about a mean of 1e4, attention.
#include "check.hpp"

#include <inlay/inlay.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace inlay;

namespace {

using Floats = std::vector<float>;

struct clamped : Elementwise<Clamp<Relu<Buf<0>>, Const<-1.0>, Const<1.0>>> {};
struct greatest : Reduce<reduction::Max, Axes<-1>> {};
struct layer_norm : LayerNorm<Buf<0>> {};
struct attention : Attention<8, Buf<0>, Buf<1>, Buf<2>> {};

void kernels() {
    Host cpu(1);
    // Whole vectors, and the rest of one.
    Floats x(83, of_bits(nan_bits)), y(83);
    prepare<clamped>(tensor(y.data(), 83), tensor(x.data(), 83)).run(cpu);
    check(is_nan(y[0]) && is_nan(y[82]), "clamp(relu(NaN))", static_cast<double>(y[82]), 0);

    for (std::size_t i = 0; i < 83; ++i) x[i] = static_cast<float>(i % 23);
    float most = 0;
    const auto row = tensor(x.data(), 1, 83);
    prepare<greatest>(tensor(&most, 1, 1), row).run(cpu);
    check(most == 22, "maximum", static_cast<double>(most), 22);
    prepare<Softmax<>>(tensor(y.data(), 1, 83), row).run(cpu);
    double sum = 0;
    for (const float e : x) sum += std::exp(static_cast<double>(e));
    for (std::size_t i = 0; i < 83; ++i) {
        const double e = std::exp(static_cast<double>(x[i])) / sum;
        check(std::abs(static_cast<double>(y[i]) - e) <= 1e-6 * e, "softmax", static_cast<double>(y[i]), e);
    }
    x[82] = of_bits(nan_bits);
    prepare<greatest>(tensor(&most, 1, 1), row).run(cpu);
    check(is_nan(most), "maximum with NaN", static_cast<double>(most), 0);
    std::fill(x.begin(), x.end(), of_bits(minus | infinity_bits));
    prepare<Softmax<>>(tensor(y.data(), 1, 83), row).run(cpu);
    check(is_nan(y[0]) && is_nan(y[82]), "softmax of -inf alone", static_cast<double>(y[0]), 0);

    // Floats at 1e4 are 1e-3 apart; squares of them have lost this spread.
    const std::size_t n = 1037;
    Floats a(n), b(n), gamma(n, 1.f), beta(n, 0.f);
    for (std::size_t i = 0; i < n; ++i) a[i] = 10000.f + static_cast<float>(i * 7919 % n) / static_cast<float>(n);
    const auto extent = static_cast<index_t>(n);
    prepare<layer_norm>(tensor(b.data(), 1, extent), tensor(gamma.data(), extent), tensor(beta.data(), extent),
                        tensor(a.data(), 1, extent))
        .run(cpu);
    double mean = 0, variance = 0, off = 0, all = 0;
    for (const float e : a) mean += static_cast<double>(e) / static_cast<double>(n);
    for (const float e : a) variance += std::pow(static_cast<double>(e) - mean, 2) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double e = (static_cast<double>(a[i]) - mean) / std::sqrt(variance + 1e-5);
        off += std::pow(static_cast<double>(b[i]) - e, 2), all += e * e;
    }
    check(std::sqrt(off / all) < 2e-3, "LayerNorm about 1e4, relative error", std::sqrt(off / all), 2e-3);

    const index_t tokens = 21, d = 8;
    Floats q(168), z(168);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = static_cast<float>(static_cast<int>(i * 31 % 47) - 23) / 8;
    const auto t = tensor(q.data(), 1, 1, tokens, d);
    prepare<attention>(tensor(z.data(), 1, 1, tokens, d), t, t, t).run(cpu);
    const auto at = [&](index_t i, index_t c) { return static_cast<double>(q[static_cast<std::size_t>(i * d + c)]); };
    for (index_t i = 0; i < tokens; ++i) {
        double e[8] = {}, total = 0;
        for (index_t j = 0; j < tokens; ++j) {
            double score = 0;
            for (index_t c = 0; c < d; ++c) score += at(i, c) * at(j, c);
            const double p = std::exp(score / std::sqrt(8.0));
            total += p;
            for (index_t c = 0; c < d; ++c) e[c] += p * at(j, c);
        }
        for (index_t c = 0; c < d; ++c) {
            const double value = static_cast<double>(z[static_cast<std::size_t>(i * d + c)]);
            check(std::abs(value - e[c] / total) < 1e-5, "attention", value, e[c] / total);
        }
    }
}

}  // namespace

int main() {
    kernels();
    return failures ? 1 : 0;
}
