// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the scale and shift of a norm have extents \[C\]
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/norm.hpp>

using namespace inlay;

void wrong(Tensor<const float, 1> w1, Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<LayerNorm<Buf<0>>>(y2, x2, w1, w1);
}
