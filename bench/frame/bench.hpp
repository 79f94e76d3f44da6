// SPDX-License-Identifier: Apache-2.0
/// Shared by the benchmarks of the frames: inputs, the host with two threads, counters. Times are wall-clock. The name
/// of a benchmark is the key under which bench/kernels_torch_cpu.py times PyTorch on the same work.
#pragma once

#include <inlay/exec/host.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

namespace inlay_bench {

using inlay::Extents;
using inlay::index_t;

inline inlay::Host& host() {
    static inlay::Host h(2);
    return h;
}

/// A dense tensor of normals.
template <int R>
struct Data {
    std::vector<float> v;
    Extents<R> extents;
    explicit Data(const Extents<R>& e) : v(static_cast<std::size_t>(count(e))), extents(e) {
        std::mt19937 engine(1);
        std::normal_distribution<float> draw;
        for (float& x : v) x = draw(engine);
    }
    inlay::Tensor<float, R> operator*() { return {v.data(), extents}; }
};
template <class... I>
auto data(I... extents) {
    return Data<sizeof...(I)>(Extents<sizeof...(I)>{{static_cast<index_t>(extents)...}});
}

/// A weight in the host's panels, as a model holds it.
template <int R>
struct PackedData {
    Data<R> plain;
    std::vector<float> data;
    explicit PackedData(const Extents<R>& e)
        : plain(e), data(static_cast<std::size_t>(inlay::Host::packed_size(1, e[0], count(e) / e[0]))) {}
    auto operator*() { return host().pack(*plain, data.data()); }
};

/// Runs a prepared kernel. `flops` and `bytes`: of one run, for the rates.
template <class Kernel>
void measure(benchmark::State& state, const Kernel& kernel, double flops, double bytes) {
    kernel.run(host());
    for (auto _ : state) {
        kernel.run(host());
        benchmark::ClobberMemory();
    }
    using benchmark::Counter;
    if (flops > 0) state.counters["GFLOP/s"] = Counter(flops * 1e-9, Counter::kIsIterationInvariantRate);
    state.counters["GB/s"] = Counter(bytes * 1e-9, Counter::kIsIterationInvariantRate);
}
template <class... D>
double bytes(const D&... d) {
    return (0.0 + ... + static_cast<double>(d.v.size() * sizeof(float)));
}

}  // namespace inlay_bench
