// SPDX-License-Identifier: Apache-2.0
/// The kernels of a guided step of Stable Diffusion 1.5 at 256×256, on 1 … 16 threads: which of them stop to gain.
/// Compile with -O2 -march=native.
#include <inlay/exec/host.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/inlay.hpp>

#include <benchmark/benchmark.h>

#include <vector>

namespace {

using namespace inlay;

struct filter : Conv2D<Filter<3>> {};
struct project : Linear<> {};
struct attend : Attention<40, Buf<0>, Buf<1>, Buf<2>> {};

template <class T, class... I>
auto numbers(I... extents) {
    return std::vector<T>(static_cast<std::size_t>((index_t(extents) * ...)), to_storage<T>(0.5f));
}
template <class Kernel>
void measure(benchmark::State& state, Host& host, const Kernel& kernel, double flops) {
    kernel.run(host);
    for (auto _ : state) {
        kernel.run(host);
        benchmark::ClobberMemory();
    }
    state.counters["FLOPS"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

template <class T>
void Conv3x3(benchmark::State& state) {
    const index_t side = state.range(0), c = state.range(1), o = state.range(2);
    Host host(static_cast<int>(state.range(3)));
    auto x = numbers<T>(2, side, side, c), y = numbers<T>(2, side, side, o), w = numbers<T>(o, 9, c);
    auto panels = numbers<T>(Host::packed_size(1, o, 9 * c));
    measure(state, host, prepare<filter>(tensor(y.data(), 2, side, side, o),
                                         host.pack(tensor(w.data(), o, 3, 3, c), panels.data()),
                                         tensor(x.data(), 2, side, side, c)),
            36. * double(side * side * c * o));
}
template <class T>
void Product(benchmark::State& state) {
    const index_t m = state.range(0), n = state.range(1), k = state.range(2);
    Host host(static_cast<int>(state.range(3)));
    auto x = numbers<T>(m, k), y = numbers<T>(m, n), w = numbers<T>(n, k);
    auto panels = numbers<T>(Host::packed_size(1, n, k));
    measure(state, host, prepare<project>(tensor(y.data(), m, n), host.pack(tensor(w.data(), n, k), panels.data()),
                                          tensor(x.data(), m, k)),
            2. * double(m * n * k));
}
template <class T>
void SelfAttention(benchmark::State& state) {
    const index_t tokens = state.range(0);
    Host host(static_cast<int>(state.range(1)));
    auto q = numbers<T>(2, 8, tokens, 40), k = q, v = q, y = q;
    const auto at = [&](auto& t) { return tensor(t.data(), 2, 8, tokens, 40); };
    measure(state, host, prepare<attend>(at(y), at(q), at(k), at(v)), 64. * double(tokens * tokens * 40));
}

void threads_of(benchmark::internal::Benchmark* b, const std::vector<std::vector<std::int64_t>>& shapes) {
    b->UseRealTime()->Unit(benchmark::kMicrosecond);
    for (std::vector<std::int64_t> shape : shapes) {
        shape.push_back(0);
        for (const int n : {1, 2, 4, 8, 16}) shape.back() = n, b->Args(shape);
    }
}
void filters(benchmark::internal::Benchmark* b) {
    b->ArgNames({"side", "from", "to", "threads"});
    threads_of(b, {{32, 320, 320}, {32, 640, 320}, {16, 640, 640}, {8, 1280, 1280}, {4, 1280, 1280}});
}
void products(benchmark::internal::Benchmark* b) {
    b->ArgNames({"m", "n", "k", "threads"});
    threads_of(b, {{2048, 320, 320}, {2048, 2560, 320}, {512, 5120, 640}, {128, 10240, 1280}, {128, 1280, 5120}});
}
void sequences(benchmark::internal::Benchmark* b) {
    b->ArgNames({"tokens", "threads"});
    threads_of(b, {{1024}, {256}});
}

BENCHMARK(Conv3x3<float>)->Name("scaling/conv3x3/fp32")->Apply(filters);
BENCHMARK(Conv3x3<bf16>)->Name("scaling/conv3x3/bf16")->Apply(filters);
BENCHMARK(Product<float>)->Name("scaling/linear/fp32")->Apply(products);
BENCHMARK(Product<bf16>)->Name("scaling/linear/bf16")->Apply(products);
BENCHMARK(SelfAttention<float>)->Name("scaling/attention/fp32")->Apply(sequences);
BENCHMARK(SelfAttention<bf16>)->Name("scaling/attention/bf16")->Apply(sequences);

}  // namespace
