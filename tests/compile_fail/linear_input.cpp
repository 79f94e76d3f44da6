// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the input of Linear has extents
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/linear.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> w2, Tensor<const float, 1> x1, Tensor<float, 1> y1) {
    prepare<Linear<Buf<0>>>(y1, w2, x1);
}
