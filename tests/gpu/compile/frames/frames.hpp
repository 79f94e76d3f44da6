// SPDX-License-Identifier: Apache-2.0
/// Every frame as Stable Diffusion uses it, with the schedules that are shipped. To compile them without a spilled
/// register is the test: tests/gpu/compile/run.sh reads what ptxas says.
#pragma once

#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

namespace frames {

using namespace inlay;

using Residual = Add<Add<Out, Buf<1>>, Buf<2>>;     // the epilogue that takes most registers
struct linear : Linear<Buf<0>, Residual> {};
using Hidden = Slice<Buf<0>, -1, 0, param<0>>;
using Gate = Slice<Buf<0>, -1, param<0>, param<0>>;
struct geglu : Linear<Mul<Hidden, Gelu<Gate>>, Residual> {};
struct conv : Conv2D<Filter<3>, Buf<0>, Residual> {};
using TimeRow = Reshape<Gather<Buf<2>, Buf<3>, 0>, 1, 1, 1, -1>;
struct conv_time : Conv2D<Filter<3>, Buf<0>, Add<Add<Out, Buf<1>>, TimeRow>> {};
template <int D>
struct attend : Attention<D, Buf<0>, Buf<1>, Buf<2>, Permuted<Store<0>, 0, 2, 1, 3>> {};
struct causal : Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::Causal> {};
struct group : GroupNorm<32, Concat<-1, Buf<0>, Buf<1>>, Silu<Out>> {};
struct layer : LayerNorm<> {};
struct rms : RMSNorm<> {};
struct softmax : Softmax<> {};
template <int Axis>
struct sum : Reduce<reduction::Sum, Axes<Axis>> {};
struct silu : Elementwise<Silu<Buf<0>>> {};
struct statistics : Elementwise<Buf<0>, WithStats<Store<0>, 1>> {};

template <class T>
void all(Cuda& gpu, const Tensor<T, 1>& c, const Tensor<T, 2>& m, const Tensor<T, 3>& x, const Tensor<T, 4>& image,
         const Tensor<float, 3>& stats, const Tensor<std::int32_t, 1>& step) {
    prepare<linear>(x, m, x, c, x).run(gpu);
    if constexpr (std::is_same_v<T, fp16>) {
        prepare<geglu>(x, m, x, c, x, 320).run(gpu);
        prepare<attend<64>>(image, image, image, image).run(gpu);
        prepare<attend<80>>(image, image, image, image).run(gpu);
        prepare<attend<160>>(image, image, image, image).run(gpu);
        prepare<causal>(image, image, image, image).run(gpu);
        prepare<rms>(x, c, x).run(gpu);
        prepare<softmax>(x, x).run(gpu);
        // Rows of matrices, of which more are on a multiprocessor.
        prepare<rms>(m, c, m).run(gpu);
        prepare<layer>(m, c, c, m).run(gpu);
        prepare<softmax>(m, m).run(gpu);
        prepare<sum<0>>(x, x).run(gpu);
        prepare<sum<-1>>(x, x).run(gpu);
        prepare<statistics>(x, stats, x).run(gpu);
    }
    prepare<conv>(image, image, image, c, image).run(gpu);
    prepare<conv_time>(image, image, image, c, m, step).run(gpu);
    prepare<attend<40>>(image, image, image, image).run(gpu);
    prepare<attend<512>>(image, image, image, image).run(gpu);
    prepare<group>(image, c, c, image, image).run(gpu);
    prepare<layer>(x, c, c, x).run(gpu);
    prepare<silu>(x, x).run(gpu);
}

}  // namespace frames
