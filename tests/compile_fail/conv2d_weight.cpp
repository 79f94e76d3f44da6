// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the weight of Conv2D has extents \[O, R, S, C / groups\]
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/conv2d.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> w2, Tensor<const float, 4> x4, Tensor<float, 4> y4) {
    prepare<Conv2D<Filter<3>, Buf<0>>>(y4, w2, x4);
}
