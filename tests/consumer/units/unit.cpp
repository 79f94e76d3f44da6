// SPDX-License-Identifier: Apache-2.0
/// A unit of a program whose units are compiled with other flags each: kernels that depend on them, held against plain
/// loops. UNIT is its name.
#include <inlay/inlay.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace inlay;

struct product : Linear<Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct exponential : Elementwise<Exp<Buf<0>>> {};
struct norm : LayerNorm<Buf<0>> {};
struct total : Reduce<reduction::Sum, Axes<-1>> {};

namespace {
int wrong = 0;
void expect(const char* kernel, double value, double expected, double bound) {
    if (std::abs(value - expected) <= bound * (1 + std::abs(expected))) return;
    if (++wrong == 1) std::printf("%s: %g, expected %g\n", kernel, value, expected);
}

double silu(double x) {
    return x / (1 + std::exp(-x));
}

template <class T>
void products(Host& cpu) {
    const int m = 37, n = 40, k = 75;
    std::vector<float> x(m * k), y(m * n), bias(n);
    std::vector<T> w(n * k), data(static_cast<std::size_t>(Host::packed_size(1, n, k)));
    for (int i = 0; i < m * k; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i % 17 - 8) / 4;
    for (int i = 0; i < n * k; ++i) w[static_cast<std::size_t>(i)] = T(static_cast<float>(i % 13 - 6) / 8);
    for (int i = 0; i < n; ++i) bias[static_cast<std::size_t>(i)] = static_cast<float>(i);
    const auto packed = cpu.pack(tensor(w.data(), n, k), data.data());
    prepare<product>(tensor(y.data(), m, n), packed, tensor(x.data(), m, k), tensor(bias.data(), n)).run(cpu);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = j;
            for (int l = 0; l < k; ++l) sum += silu((i * k + l) % 17 / 4.0 - 2) * (((j * k + l) % 13 - 6) / 8.0);
            expect("product", y[static_cast<std::size_t>(i * n + j)], sum, 1e-5);
        }
}

void rows(Host& cpu) {
    const int m = 5, n = 83;
    std::vector<float> x(m * n), y(m * n), sums(m), gamma(n, 1.0f), beta(n, 0.0f);
    for (int i = 0; i < m * n; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i % 11);
    const auto in = tensor(x.data(), m, n), out = tensor(y.data(), m, n);
    prepare<exponential>(out, in).run(cpu);
    for (int i = 0; i < m * n; ++i) expect("exp", y[static_cast<std::size_t>(i)], std::exp(i % 11), 1e-6);
    prepare<norm>(out, tensor(gamma.data(), n), tensor(beta.data(), n), in).run(cpu);
    prepare<total>(tensor(sums.data(), m, 1), in).run(cpu);
    for (int i = 0; i < m; ++i) {
        double sum = 0, squares = 0;
        for (int j = 0; j < n; ++j) sum += (i * n + j) % 11;
        for (int j = 0; j < n; ++j) squares += std::pow((i * n + j) % 11 - sum / n, 2);
        expect("sum", sums[static_cast<std::size_t>(i)], sum, 1e-6);
        for (int j = 0; j < n; ++j)
            expect("layer norm", y[static_cast<std::size_t>(i * n + j)],
                   ((i * n + j) % 11 - sum / n) / std::sqrt(squares / n + 1e-5), 1e-5);
    }
}
}  // namespace

/// The number of wrong values.
int UNIT() {
    Host cpu(2);
    products<float>(cpu);
    products<inlay::fp16>(cpu);
    rows(cpu);
    return wrong;
}

/// Fails: the kernel's output has another extent than its input.
#define THROWS(unit) THROWS_OF(unit)
#define THROWS_OF(unit) unit##_throws
void THROWS(UNIT)() {
    float x[4] = {}, y[3];
    prepare<exponential>(tensor(y, 3), tensor(x, 4));
}
