// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a \[B, C\] tensor does not broadcast over NHWC; reshape it to \[B, 1, 1, C\]
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/conv2d.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> w4, Tensor<const float, 2> x2, Tensor<const float, 4> x4, Tensor<float, 4> y4) {
    prepare<Conv2D<Filter<3>, Buf<0>, Add<Out, Slice<Buf<1>, -1, 0, 2>>>>(y4, w4, x4, x2);
}
