// SPDX-License-Identifier: Apache-2.0
/// GroupNorm and SiLU on the host, at Stable Diffusion 1.5's shapes, and the two parts of it that read statistics which
/// the kernel before published: their pass over what was stored, and the elementwise pass. `bytes_per_second` counts one
/// read of the input and one write of the result. Compile with -O2 -march=native.
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

struct published : Elementwise<Buf<0>, WithStats<Store<0>, 1>> {};
struct merged : Elementwise<Silu<Add<Mul<Sub<Buf<0>, Buf<1>>, Buf<2>>, Buf<3>>>> {};

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

/// The pass over what was stored.
template <class T>
void publish(benchmark::State& state) {
    const index_t images = state.range(0), side = state.range(1), channels = state.range(2), n = images * side * side;
    Host host(static_cast<int>(state.range(3)));
    std::vector<T> x = values<T>(n * channels);
    std::vector<float> stats(static_cast<std::size_t>(images * channels * 2));
    const auto image = tensor(x.data(), images, side, side, channels);
    const auto kernel = prepare<published>(image, tensor(stats.data(), images, channels, 2), image);
    for (auto _ : state) {
        host.publish_stats(kernel.sink);
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * n * channels * index_t(sizeof(T)));
}
/// The pass that normalises, of means and scales that are merged.
template <class T>
void normalise(benchmark::State& state) {
    const index_t images = state.range(0), side = state.range(1), channels = state.range(2), n = images * side * side;
    Host host(static_cast<int>(state.range(3)));
    const std::vector<T> x = values<T>(n * channels), beta = values<T>(channels);
    const std::vector<float> mean = values<float>(images * channels), scale = mean;
    std::vector<T> y(x.size());
    const auto kernel = prepare<merged>(tensor(y.data(), images, side, side, channels),
                                        tensor(x.data(), images, side, side, channels),
                                        tensor(mean.data(), images, 1, 1, channels),
                                        tensor(scale.data(), images, 1, 1, channels), tensor(beta.data(), channels));
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
                                         {2, 8, 1280}, {2, 8, 2560}, {1, 64, 512}, {1, 128, 256}, {1, 256, 128}, {1, 256, 256}})
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
BENCHMARK(publish<float>)->Name("published statistics/fp32")->Apply(shapes);
BENCHMARK(publish<bf16>)->Name("published statistics/bf16")->Apply(shapes);
BENCHMARK(normalise<float>)->Name("normalised by statistics/fp32")->Apply(shapes);
BENCHMARK(normalise<bf16>)->Name("normalised by statistics/bf16")->Apply(shapes);
BENCHMARK(group_norm<float, 2>)->Name("group_norm/fp32, two inputs")->Apply(joined_shapes);

}  // namespace
