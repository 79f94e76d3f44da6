// SPDX-License-Identifier: Apache-2.0
/// Shared by the small examples: data, a comparison, and the count of a fusion's savings.
#pragma once

#include <inlay/inlay.hpp>

#include <inlay/exec/host.hpp>
#include <inlay/exec/oracle.hpp>
#include <inlay/exec/program.hpp>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace example {

using inlay::index_t;

/// A dense tensor that owns its elements.
template <class T, int R>
struct Owned {
    std::vector<T> data;
    inlay::Extents<R> extents;

    explicit Owned(const inlay::Extents<R>& e) : data(static_cast<std::size_t>(count(e))), extents(e) {}
    inlay::Tensor<T, R> operator*() { return {data.data(), extents}; }
};

template <class T = float, class... I>
auto zeros(I... extents) {
    return Owned<T, sizeof...(I)>(inlay::Extents<sizeof...(I)>{{static_cast<index_t>(extents)...}});
}
/// Uniform in [-scale, scale), the same on every run.
template <class... I>
auto random(unsigned seed, float scale, I... extents) {
    auto t = zeros(extents...);
    std::mt19937 engine(seed);
    for (float& x : t.data) x = scale * (static_cast<float>(engine() >> 8) * 0x1p-23f - 1);
    return t;
}

/// Kernels that run one after the other on the CPU.
using Program = inlay::Program<inlay::Host>;

/// The result of K, element by element in double, with the same arguments after its one output.
template <class K, int R, class... Args>
std::vector<double> exact(const inlay::Extents<R>& output, const Args&... args) {
    Owned<double, R> y(output);
    inlay::Oracle oracle;
    inlay::prepare<K>(*y, args...).run(oracle);
    return y.data;
}

/// Prints the relative error in the L2 norm; false when it is more than 1e-5.
template <class Expected>
bool agrees(const char* what, const std::vector<float>& got, const std::vector<Expected>& expected) {
    if (got.size() != expected.size()) return false;
    double error = 0, size = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double e = static_cast<double>(expected[i]);
        error += (got[i] - e) * (got[i] - e);
        size += e * e;
    }
    const double relative = std::sqrt(error / size);
    const bool ok = relative <= 1e-5;
    std::printf("%-28s relative error %.1e%s\n", what, relative, ok ? "" : "  FAILED");
    return ok;
}

/// Launches, and the bytes they move when each reads its operands once and writes its result once.
inline void print_saved(const Program& apart, const Program& fused) {
    const auto bytes = [](const Program& p) {
        double sum = 0;
        for (const inlay::KernelReport& l : p.launches()) sum += l.bytes();
        return sum;
    };
    const auto row = [](const char* what, std::size_t launches, double moved) {
        std::printf("%-28s %3zu launches %10.2f MB moved\n", what, launches, moved * 1e-6);
    };
    row("one operation at a time", apart.size(), bytes(apart));
    row("fused", fused.size(), bytes(fused));
    row("saved", apart.size() - fused.size(), bytes(apart) - bytes(fused));
}

}  // namespace example
