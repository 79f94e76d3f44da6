// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include <inlay/frame/reduce.hpp>

namespace {

using namespace inlay;
using namespace inlay_bench;

struct row_sum : Reduce<reduction::Sum> {};
struct column_mean : Reduce<reduction::Mean, Axes<0>> {};

void rows(benchmark::State& state) {
    auto x = data(state.range(0), state.range(1)), y = data(state.range(0), 1);
    measure(state, prepare<row_sum>(*y, *x), 0, bytes(x, y));
}
void columns(benchmark::State& state) {
    auto x = data(state.range(0), state.range(1)), y = data(1, state.range(1));
    measure(state, prepare<column_mean>(*y, *x), 0, bytes(x, y));
}
BENCHMARK(rows)->Name("reduce/row_sum")->UseRealTime()->Args({2048, 1280});
BENCHMARK(columns)->Name("reduce/column_mean")->UseRealTime()->Args({2048, 1280});

}  // namespace
