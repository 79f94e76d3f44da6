// SPDX-License-Identifier: Apache-2.0
// expect: inlay: OutGate is the second sum of a Linear; no other frame has one
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/conv2d.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> w4, Tensor<const float, 4> x4, Tensor<float, 4> y4) {
    prepare<Conv2D<Filter<3>, Buf<0>, Mul<Out, OutGate>>>(y4, w4, x4);
}
