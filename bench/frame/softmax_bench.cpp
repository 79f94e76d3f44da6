// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include <inlay/frame/softmax.hpp>

namespace {

using namespace inlay;
using namespace inlay_bench;

struct plain : Softmax<> {};

void rows(benchmark::State& state) {
    auto x = data(state.range(0), state.range(1)), y = x;
    measure(state, prepare<plain>(*y, *x), 0, bytes(x, y));
}
BENCHMARK(rows)->Name("softmax/rows")->UseRealTime()->Args({16384, 77})->Args({4096, 1024});

}  // namespace
