// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include <inlay/frame/norm.hpp>

namespace {

using namespace inlay;
using namespace inlay_bench;

struct layer : LayerNorm<> {};
struct rms : RMSNorm<> {};
struct group : GroupNorm<32> {};
struct group_silu : GroupNorm<32, Buf<0>, Silu<Out>> {};

template <class K>
void over_rows(benchmark::State& state) {
    auto x = data(state.range(0), state.range(1)), y = x;
    auto g = data(state.range(1)), b = g;
    if constexpr (K::weights == 2) measure(state, prepare<K>(*y, *g, *b, *x), 0, bytes(x, y));
    else measure(state, prepare<K>(*y, *g, *x), 0, bytes(x, y));
}
template <class K>
void over_images(benchmark::State& state) {
    const index_t n = state.range(0), h = state.range(1), c = state.range(2);
    auto x = data(n, h, h, c), y = x;
    auto g = data(c), b = g;
    measure(state, prepare<K>(*y, *g, *b, *x), 0, bytes(x, y));
}

BENCHMARK(over_rows<layer>)->Name("norm/layer")->UseRealTime()->Args({2048, 320})->Args({512, 640})->Args({128, 1280});
BENCHMARK(over_rows<rms>)->Name("norm/rms")->UseRealTime()->Args({2048, 320});
BENCHMARK(over_images<group>)->Name("norm/group")->UseRealTime()->Args({2, 32, 320});
BENCHMARK(over_images<group_silu>)->Name("norm/group_silu")->UseRealTime()
    ->Args({2, 32, 320})->Args({2, 16, 640})->Args({2, 8, 1280})->Args({1, 256, 128});

}  // namespace
