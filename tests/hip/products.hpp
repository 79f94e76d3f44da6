// SPDX-License-Identifier: Apache-2.0
/// Matrix products of each storage type on HIP: a linear layer, an evaluated input, a gated product, convolutions with
/// long and with short segments.
#pragma once

#include <inlay/exec/hip.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

struct linear : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct geglu : Linear<Buf<0>, Mul<Out, Gelu<OutGate>>> {};
struct evaluated : Linear<Silu<Buf<0>>, Out> {};
struct conv : Conv2D<Filter<3>, Buf<0>, Add<Out, Buf<1>>> {};

template <class T>
void products(Hip& gpu, const Tensor<T, 2>& y, const Tensor<T, 2>& w, const Tensor<T, 2>& x, const Tensor<T, 1>& bias,
              const Tensor<T, 4>& image, const Tensor<T, 4>& filters, const Tensor<T, 4>& pixels) {
    prepare<linear>(y, w, x, bias).run(gpu);
    prepare<geglu>(y, w, x).run(gpu);
    prepare<evaluated>(y, w, x).run(gpu);
    prepare<conv>(image, filters, pixels, bias).run(gpu);
}
