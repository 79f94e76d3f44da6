// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the input of GroupNorm has extents \[B, ..., C\]
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/norm.hpp>

using namespace inlay;

void wrong(Tensor<const float, 1> w1, Tensor<const float, 4> x4, Tensor<float, 4> y4) {
    prepare<GroupNorm<2, Buf<0>>>(y4, x4, w1, w1);
}
