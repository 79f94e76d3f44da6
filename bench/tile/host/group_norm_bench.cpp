// SPDX-License-Identifier: Apache-2.0
/// GroupNorm and SiLU on the host, at Stable Diffusion 1.5's shapes. `bytes_per_second` counts one read of the input
/// and one write of the result. Compile with -O2 -march=native.
#include <inlay/exec/host.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <vector>

namespace {

using namespace inlay;

struct plain : GroupNorm<32, Buf<0>, Silu<Out>> {};
struct joined : GroupNorm<32, Concat<3, Buf<0>, Buf<1>>, Silu<Out>> {};

template <class T>
std::vector<T> values(index_t n) {
    std::vector<T> v(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = to_storage<T>(static_cast<float>(i * 2654435761u % 1021) / 512 - 1);
    return v;
}

/// `parts` 2: the input is two images side by side along the channels.
template <class T, int Parts>
void group_norm(benchmark::State& state) {
    const index_t images = state.range(0), side = state.range(1), channels = state.range(2), n = images * side * side;
    Host host(static_cast<int>(state.range(3)));
    const std::vector<T> x = values<T>(n * channels / Parts), gamma = values<T>(channels), beta = values<T>(channels);
    std::vector<T> y(static_cast<std::size_t>(n * channels));
    const auto in = tensor(x.data(), images, side, side, channels / Parts);
    const auto kernel = [&] {
        const auto out = tensor(y.data(), images, side, side, channels);
        const auto g = tensor(gamma.data(), channels), b = tensor(beta.data(), channels);
        if constexpr (Parts == 1) return prepare<plain>(out, g, b, in);
        else return prepare<joined>(out, g, b, in, in);
    }();
    for (auto _ : state) {
        kernel.run(host);
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * 2 * n * channels * index_t(sizeof(T)));
}

void shapes(benchmark::internal::Benchmark* b) {
    b->ArgNames({"images", "side", "channels", "threads"})->UseRealTime()->Unit(benchmark::kMicrosecond);
    for (const int threads : {1, 2, 4, 8, 16})
        for (const auto& [n, side, c] : {std::array<index_t, 3>{2, 32, 320}, {2, 32, 640}, {2, 16, 640}, {2, 16, 1280},
                                         {2, 8, 1280}, {2, 8, 2560}, {1, 64, 512}, {1, 128, 256}, {1, 256, 128}})
            b->Args({n, side, c, threads});
}
void joined_shapes(benchmark::internal::Benchmark* b) {
    b->ArgNames({"images", "side", "channels", "threads"})->UseRealTime()->Unit(benchmark::kMicrosecond);
    for (const int threads : {1, 2, 4, 8, 16})
        for (const auto& [n, side, c] : {std::array<index_t, 3>{2, 32, 640}, {2, 16, 1280}, {2, 8, 2560}})
            b->Args({n, side, c, threads});
}

BENCHMARK(group_norm<float, 1>)->Name("group_norm/fp32")->Apply(shapes);
BENCHMARK(group_norm<bf16, 1>)->Name("group_norm/bf16")->Apply(shapes);
BENCHMARK(group_norm<float, 2>)->Name("group_norm/fp32, two inputs")->Apply(joined_shapes);

}  // namespace
