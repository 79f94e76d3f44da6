// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the weight of Linear has extents \[N, K\] or \[B, N, K\]
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/linear.hpp>

using namespace inlay;

void wrong(Tensor<const float, 1> w1, Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<Linear<Buf<0>>>(y2, w1, x2);
}
