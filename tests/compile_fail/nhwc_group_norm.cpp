// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a \[B, C\] tensor does not broadcast over NHWC; reshape it to \[B, 1, 1, C\]
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/norm.hpp>

using namespace inlay;

void wrong(Tensor<const float, 1> w1, Tensor<const float, 2> x2, Tensor<const float, 4> x4, Tensor<float, 4> y4) {
    prepare<GroupNorm<2, Concat<-1, Buf<0>, Add<Buf<0>, Buf<1>>>>>(y4, w1, w1, x4, x2);
}
