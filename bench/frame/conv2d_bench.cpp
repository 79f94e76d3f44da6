// SPDX-License-Identifier: Apache-2.0
/// Convolutions of SD1.5's UNet at 256x256 with guidance, and of its VAE: batch, height, channels in, channels out.
#include "bench.hpp"

#include <inlay/frame/conv2d.hpp>

namespace {

using namespace inlay;
using namespace inlay_bench;

struct biased : Conv2D<Filter<3>, Buf<0>, Add<Out, Buf<1>>> {};
struct down : Conv2D<Filter<3, 3, 2, 1>, Buf<0>, Add<Out, Buf<1>>> {};
struct up : Conv2D<Filter<3>, Upsample2x<Buf<0>>, Add<Out, Buf<1>>> {};

template <class K>
void convolution(benchmark::State& state) {
    const index_t b = state.range(0), h = state.range(1), c = state.range(2), o = state.range(3);
    const index_t to = std::is_same_v<K, down> ? h / 2 : std::is_same_v<K, up> ? 2 * h : h;
    auto x = data(b, h, h, c), y = data(b, to, to, o);
    auto bias = data(o);
    PackedData<4> w(Extents<4>{{o, 3, 3, c}});
    measure(state, prepare<K>(*y, *w, *x, *bias), 18.0 * double(b * to * to * o * c), bytes(x, y, w.plain, bias));
}

BENCHMARK(convolution<biased>)->Name("conv2d/3x3")->UseRealTime()
    ->Args({2, 32, 4, 320})->Args({2, 32, 320, 320})->Args({2, 32, 960, 320})->Args({2, 16, 640, 640})
    ->Args({2, 8, 1280, 1280})->Args({2, 4, 1280, 1280})->Args({2, 32, 320, 4})->Args({1, 128, 128, 128});
BENCHMARK(convolution<down>)->Name("conv2d/stride2")->UseRealTime()->Args({2, 32, 320, 320});
BENCHMARK(convolution<up>)->Name("conv2d/upsample2x")->UseRealTime()->Args({2, 16, 640, 640});

}  // namespace
