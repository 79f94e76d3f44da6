// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include <inlay/frame/elementwise.hpp>

namespace {

using namespace inlay;
using namespace inlay_bench;

struct silu_of : Elementwise<Silu<Buf<0>>> {};
struct gelu_of : Elementwise<Gelu<Buf<0>>> {};
struct skip : Elementwise<Concat<-1, Buf<0>, Buf<1>>> {};
struct heads : Elementwise<Permute<Buf<0>, 0, 2, 1, 3>> {};

template <class K>
void unary(benchmark::State& state) {
    auto x = data(2, 32, 32, 320), y = x;
    measure(state, prepare<K>(*y, *x), 0, bytes(x, y));
}
void concatenation(benchmark::State& state) {
    auto a = data(2, 32, 32, 320), b = data(2, 32, 32, 320), y = data(2, 32, 32, 640);
    measure(state, prepare<skip>(*y, *a, *b), 0, bytes(a, b, y));
}
void permutation(benchmark::State& state) {
    auto x = data(2, 1024, 8, 40), y = data(2, 8, 1024, 40);
    measure(state, prepare<heads>(*y, *x), 0, bytes(x, y));
}

BENCHMARK(unary<silu_of>)->Name("elementwise/silu/2x32x32x320")->UseRealTime();
BENCHMARK(unary<gelu_of>)->Name("elementwise/gelu/2x32x32x320")->UseRealTime();
BENCHMARK(concatenation)->Name("elementwise/concat/2x32x32x320+320")->UseRealTime();
BENCHMARK(permutation)->Name("elementwise/permute/2x1024x8x40")->UseRealTime();

}  // namespace
