// SPDX-License-Identifier: Apache-2.0
/// The peak of products of bf16 in tile registers on 1 … 16 threads: from registers alone, and with the loads of a panel
/// of B and two tiles of A as `amx.hpp` has them, from the first-level cache. Compile with -O2 -march=native.
#include <inlay/tile/host/amx.hpp>
#include <inlay/tile/host/threads.hpp>

#include <benchmark/benchmark.h>

#include <vector>

namespace {

#if INLAY_HAS_AMX
using namespace inlay;
using namespace inlay::on_host;

/// One step of `multiply_panel`: 32 rows by 32 columns over 32 of K.
template <bool Loads>
void step(amx::Registers& r, const char* a, const char* b) {
    if constexpr (Loads) r.load<6>(b, 128), r.load<7>(b + 64, 128), r.load<4>(a, 64);
    r.multiply<0, 4, 6>(), r.multiply<1, 4, 7>();
    if constexpr (Loads) r.load<5>(a + 1024, 64);
    r.multiply<2, 5, 6>(), r.multiply<3, 5, 7>();
}

template <bool Loads>
void peak(benchmark::State& state) {
    if (!processor_runs_amx()) return state.SkipWithError("this processor has no AMX");
    constexpr index_t steps = 20000, places = 8, bytes = 2048;
    const index_t n = state.range(0);
    Threads threads(static_cast<int>(n));
    std::vector<std::vector<char>> memory(static_cast<std::size_t>(n), std::vector<char>(2 * places * bytes));
    for (auto _ : state)
        threads.parallel_for(n, [&](index_t i, int) {
            char* const from = memory[static_cast<std::size_t>(i)].data();
            amx::Registers r;
            r.zero<0>(), r.zero<1>(), r.zero<2>(), r.zero<3>();
            r.load<4>(from, 64), r.load<5>(from, 64), r.load<6>(from, 64), r.load<7>(from, 64);
            for (index_t s = 0; s < steps; ++s) {
                const char* const a = from + s % places * 2 * bytes;
                step<Loads>(r, a, a + bytes);
            }
            r.store<0>(from, 64);
        });
    state.counters["FLOPS"] = benchmark::Counter(2. * 32 * 32 * 32 * double(steps * n),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(peak<false>)->Name("amx/peak/registers")->ArgName("threads")->UseRealTime()->Arg(1)->Arg(4)->Arg(8)->Arg(16);
BENCHMARK(peak<true>)->Name("amx/peak/loads")->ArgName("threads")->UseRealTime()->Arg(1)->Arg(4)->Arg(8)->Arg(16);
#endif

}  // namespace
