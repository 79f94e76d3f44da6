// SPDX-License-Identifier: Apache-2.0
/// The host attention core on the shapes of Stable Diffusion 1.5 (batch = 2 images × 8 heads). Compile with -O2
/// -march=native; `FLOPS` counts the two products only.
#include <inlay/tile/host/attention.hpp>
#include <inlay/tile/host/convert.hpp>

#include <benchmark/benchmark.h>

#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;
using on_host::AttentionShape;

void Attention(benchmark::State& state) {
    const AttentionShape s{state.range(0), state.range(1), state.range(2), state.range(3), state.range(3)};
    Threads threads(static_cast<int>(state.range(4)));
    const auto filled = [](index_t n) {
        std::vector<float> v(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i * 37 % 101) / 50.f - 1.f;
        return v;
    };
    const auto q = filled(s.batch * s.queries * s.d), k = filled(s.batch * s.keys * s.d), v = k;
    std::vector<float> o(q.size());
    threads.reserve(attention_scratch_bytes(s));
    for (auto _ : state) {
        const auto hide = [](index_t, index_t, index_t, index_t, float*) {};
        const auto store = [&](index_t b, index_t i, const float* x) {
            store_row(x, o.data() + (b * s.queries + i) * s.d, s.d);
        };
        const auto visits = [&](index_t, index_t, index_t, index_t size) {
            return AllKeys{(s.keys + size - 1) / size};
        };
        attention(
            threads, s, SoftmaxRows<decltype(hide), decltype(store)>{0.125f, hide, store, s.dv}, visits,
            [&](index_t b, index_t i, float*) { return q.data() + (b * s.queries + i) * s.d; },
            [&](index_t b, index_t i, float*) { return k.data() + (b * s.keys + i) * s.d; },
            [&](index_t b, index_t i, float*) { return v.data() + (b * s.keys + i) * s.d; });
        benchmark::DoNotOptimize(o.data());
        benchmark::ClobberMemory();
    }
    const double flops = 4. * double(s.batch * s.queries * s.keys * s.d);
    state.counters["FLOPS"] = benchmark::Counter(flops * double(state.iterations()), benchmark::Counter::kIsRate);
}

void shapes(benchmark::internal::Benchmark* b) {
    b->ArgNames({"batch", "queries", "keys", "d", "threads"})->UseRealTime()->Unit(benchmark::kMicrosecond);
    for (const int threads : {1, 2}) {
        b->Args({16, 1024, 1024, 40, threads});
        b->Args({16, 1024, 77, 40, threads});
        b->Args({16, 256, 256, 80, threads});
        b->Args({16, 64, 64, 160, threads});
        b->Args({1, 1024, 1024, 512, threads});
    }
}
BENCHMARK(Attention)->Apply(shapes);

}  // namespace

