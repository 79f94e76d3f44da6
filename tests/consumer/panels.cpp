// SPDX-License-Identifier: Apache-2.0
/// Products on the CPU whose panels are as wide as the flags of this compilation make vectors, by one thread and by
/// several, against the oracle: with one sum at each column, and with two.
#include <inlay/exec/host.hpp>
#include <inlay/exec/oracle.hpp>
#include <inlay/inlay.hpp>

#include <cmath>
#include <iostream>
#include <vector>

using namespace inlay;

struct plain : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct two_sums : Linear<Buf<0>, Mul<Add<Out, Buf<1>>, Gelu<OutGate>>> {};

template <class K>
bool right(int threads, index_t m, index_t n, index_t rows, index_t k) {
    const auto numbers = [](index_t count, unsigned seed) {
        std::vector<float> v(static_cast<std::size_t>(count));
        for (float& x : v) seed = seed * 1664525u + 1013904223u, x = static_cast<float>(seed >> 8) / (1 << 23) - 1;
        return v;
    };
    const auto x = numbers(m * k, 1), w = numbers(rows * k, 2), b = numbers(n, 3);
    std::vector<float> y(static_cast<std::size_t>(m * n), NAN);
    std::vector<double> exact(y.size(), NAN);
    const auto in = tensor(x.data(), m, k);
    const auto weight = tensor(w.data(), rows, k);
    const auto bias = tensor(b.data(), n);
    Oracle oracle;
    prepare<K>(tensor(exact.data(), m, n), weight, in, bias).run(oracle);
    Host host(threads);
    prepare<K>(tensor(y.data(), m, n), weight, in, bias).run(host);
    double off = 0, all = 0;
    for (std::size_t i = 0; i < y.size(); ++i) off += (y[i] - exact[i]) * (y[i] - exact[i]), all += exact[i] * exact[i];
    const bool ok = std::sqrt(off / all) <= 1e-6;
    if (!ok)
        std::cout << threads << " threads, " << m << "x" << n << "x" << k << ": off by " << std::sqrt(off / all)
                  << '\n';
    return ok;
}

int main() {
    bool ok = true;
    for (const int threads : {1, 2, 5})
        for (const index_t n : {16, 48, 80, 592})
            for (const index_t m : {5, 77}) {
                ok = right<plain>(threads, m, n, n, 33) && ok;
                ok = right<two_sums>(threads, m, n, 2 * n, 33) && ok;
            }
    return ok ? 0 : 1;
}
