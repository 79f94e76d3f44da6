// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a convolution's window, stride, dilation and padding, and window times dilation, are below
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/conv2d.hpp>

using namespace inlay;

void wrong(Tensor<float, 4> y, Tensor<const float, 4> w, Tensor<const float, 4> x) {
    prepare<Conv2D<Filter<(1 << 16), 1, 1, 0, 0, (1 << 16)>>>(y, w, x);
}
