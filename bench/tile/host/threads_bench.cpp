// SPDX-License-Identifier: Apache-2.0
/// The costs of a loop over tasks that do nothing, one for each thread and 8: what each kernel pays besides its work.
#include <inlay/tile/host/threads.hpp>

#include <benchmark/benchmark.h>

namespace {

using namespace inlay;
using namespace inlay::on_host;

void loop(benchmark::State& state) {
    Threads threads(static_cast<int>(state.range(0)));
    for (auto _ : state) threads.parallel_for(state.range(0) * state.range(1), [](index_t i, int) {
        benchmark::DoNotOptimize(i);
    });
}

BENCHMARK(loop)->Name("threads/loop")->ArgNames({"threads", "tasks"})->UseRealTime()->ArgsProduct({{1, 2, 4, 8, 16}, {1, 8}});

}  // namespace
