// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a convolution's window, stride, dilation and groups are at least 1
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/conv2d.hpp>

using namespace inlay;

void wrong(Tensor<float, 4> y, Tensor<const float, 4> w, Tensor<const float, 4> x) {
    prepare<Conv2D<Filter<3, 3, 1, 1, 1, 0>>>(y, w, x);
}
