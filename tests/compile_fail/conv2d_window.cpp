// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a convolution's window, stride, dilation and groups are at least 1
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/conv2d.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> w4, Tensor<const float, 4> x4, Tensor<float, 4> y4) {
    prepare<Conv2D<Filter<3, 3, 0>, Buf<0>>>(y4, w4, x4);
}
