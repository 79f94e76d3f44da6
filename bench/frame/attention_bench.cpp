// SPDX-License-Identifier: Apache-2.0
/// Attention of SD1.5 at 256x256 with guidance: batch, heads, queries, keys; the VAE's single head of 512.
#include "bench.hpp"

#include <inlay/frame/attention.hpp>

namespace {

using namespace inlay;
using namespace inlay_bench;

template <int D>
struct attend : Attention<D, Buf<0>, Buf<1>, Buf<2>> {};

template <int D>
void attention(benchmark::State& state) {
    const index_t b = state.range(0), h = state.range(1), sq = state.range(2), skv = state.range(3);
    auto q = data(b, h, sq, D), k = data(b, h, skv, D), v = k, y = q;
    measure(state, prepare<attend<D>>(*y, *q, *k, *v), 4.0 * double(b * h * sq * skv * D), bytes(q, k, v, y));
}
BENCHMARK(attention<40>)->Name("attention/d40")->UseRealTime()->Args({2, 8, 1024, 1024})->Args({2, 8, 1024, 77});
BENCHMARK(attention<80>)->Name("attention/d80")->UseRealTime()->Args({2, 8, 256, 256})->Args({2, 8, 256, 77});
BENCHMARK(attention<160>)->Name("attention/d160")->UseRealTime()->Args({2, 8, 64, 64});
BENCHMARK(attention<512>)->Name("attention/d512")->UseRealTime()->Args({1, 1, 1024, 1024});

}  // namespace
