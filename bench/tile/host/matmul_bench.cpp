// SPDX-License-Identifier: Apache-2.0
/// The host matrix product beside the FMA peak of a core. Compile with -O2 -march=native; the last argument of each
/// product is the number of threads, and `FLOPS` in the output counts multiplications and additions.
#include <inlay/tile/host/matmul.hpp>

#include <benchmark/benchmark.h>

#include <utility>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;

template <int... I>
void peak_loop(benchmark::State& state, std::integer_sequence<int, I...>) {
    fvec s[] = {((void)I, fvec(1.f))...};
    const fvec a = 0.999f, b = 1e-3f;
    constexpr int steps = 1000;
    for (auto _ : state) {
        for (int i = 0; i < steps; ++i) ((s[I].v = s[I].v * a.v + b.v), ...);
        benchmark::DoNotOptimize(s[0]);
    }
    ((benchmark::DoNotOptimize(s[I])), ...);
    state.counters["FLOPS"] = benchmark::Counter(2. * steps * host_lanes * sizeof...(I) * double(state.iterations()),
                                                 benchmark::Counter::kIsRate);
}
/// As many independent sums as hide the latency of an FMA, all in registers.
void Peak(benchmark::State& state) { peak_loop(state, std::make_integer_sequence<int, 12>{}); }

/// A in the type in which weights of T are multiplied by an operand of T.
template <class T>
void Product(benchmark::State& state) {
    const MatmulShape s{1, state.range(0), state.range(1), state.range(3), state.range(2)};
    Threads threads(static_cast<int>(state.range(4)));
    const index_t k = s.segments * s.k;
    // The segments of a row are rows further down, as the taps of a filter are: A is not s.segments times as large.
    using A = factor_type<T, T>;
    const std::vector<A> a(static_cast<std::size_t>((s.m + s.segments) * s.k), A(0.5f));
    std::vector<float> c(static_cast<std::size_t>(s.m * s.n));
    const std::vector<T> w(static_cast<std::size_t>(s.n * k), T(0.25f));
    std::vector<T> packed(static_cast<std::size_t>(packed_size(s.n, k)));
    on_host::pack(w.data(), k, s.n, k, packed.data(), threads);
    threads.reserve(matmul_scratch_bytes(s, threads));
    for (auto _ : state) {
        matmul<A>(
            threads, s,
            [&](index_t, index_t m, index_t segment, index_t k0, index_t, A*) {
                return a.data() + (m + segment) * s.k + k0;
            },
            packed.data(), 0,
            [&](index_t, index_t m, index_t n0, index_t nn, const float* acc) {
                store_row(acc, c.data() + m * s.n + n0, nn);
            });
        benchmark::DoNotOptimize(c.data());
        benchmark::ClobberMemory();
    }
    state.counters["FLOPS"] = benchmark::Counter(2. * double(s.m * s.n * k) * double(state.iterations()),
                                                 benchmark::Counter::kIsRate);
}

void shapes(benchmark::internal::Benchmark* b) {
    b->ArgNames({"m", "n", "k", "segments", "threads"})->UseRealTime()->Unit(benchmark::kMicrosecond);
    for (const int threads : {1, 2}) {
        b->Args({2048, 640, 640, 1, threads});
        b->Args({1024, 640, 640, 9, threads});
        b->Args({4096, 320, 320, 9, threads});
        b->Args({1024, 2560, 320, 1, threads});
        b->Args({32, 1280, 1280, 1, threads});
        b->Args({32, 1280, 1280, 9, threads});  // weights of a size for memory, not for the cache
        b->Args({1, 1280, 1280, 1, threads});
        b->Args({4096, 4, 320, 9, threads});
    }
}

BENCHMARK(Peak);
BENCHMARK(Product<float>)->Apply(shapes);
BENCHMARK(Product<fp16>)->Apply(shapes);
BENCHMARK(Product<bf16>)->Apply(shapes);

}  // namespace

