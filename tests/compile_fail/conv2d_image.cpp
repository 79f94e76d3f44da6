// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the input of Conv2D has extents \[B, H, W, C\]
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/conv2d.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> w4, Tensor<const float, 3> x3, Tensor<float, 3> y3) {
    prepare<Conv2D<Filter<3>, Buf<0>>>(y3, w4, x3);
}
