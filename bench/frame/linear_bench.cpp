// SPDX-License-Identifier: Apache-2.0
/// Linear layers of SD1.5's UNet at 256x256 with guidance: 2 x 1024, 256 and 64 tokens.
#include "bench.hpp"

#include <inlay/frame/linear.hpp>

namespace {

using namespace inlay;
using namespace inlay_bench;

struct biased : Linear<Buf<0>, Add<Out, Buf<1>>> {};
using Half1 = Slice<Buf<0>, -1, 0, param<0>>;
using Half2 = Slice<Buf<0>, -1, param<0>, param<0>>;
struct geglu : Linear<Mul<Half1, Gelu<Half2>>, Add<Add<Out, Buf<1>>, Buf<2>>> {};

void product(benchmark::State& state) {
    const index_t m = state.range(0), n = state.range(1), k = state.range(2);
    auto x = data(m, k), y = data(m, n);
    auto b = data(n);
    PackedData<2> w(Extents<2>{{n, k}});
    measure(state, prepare<biased>(*y, *w, *x, *b), 2.0 * double(m * n * k), bytes(x, y, w.plain, b));
}
void geglu_residual(benchmark::State& state) {
    const index_t m = state.range(0), c = state.range(1);
    auto x = data(m, 8 * c), y = data(m, c), r = y;
    auto b = data(c);
    PackedData<2> w(Extents<2>{{c, 4 * c}});
    measure(state, prepare<geglu>(*y, *w, *x, *b, *r, 4 * c), 8.0 * double(m * c * c), bytes(x, y, w.plain, b, r));
}

BENCHMARK(product)->Name("linear/bias")->UseRealTime()
    ->Args({2048, 320, 320})->Args({2048, 960, 320})->Args({2048, 2560, 320})->Args({512, 640, 640})
    ->Args({512, 5120, 640})->Args({128, 1280, 1280})->Args({2, 1280, 1280})->Args({154, 2304, 768});
BENCHMARK(geglu_residual)->Name("linear/geglu_residual")->UseRealTime()->Args({2048, 320})->Args({512, 640});

}  // namespace
