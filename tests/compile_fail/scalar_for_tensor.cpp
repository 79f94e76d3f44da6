// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Buf<0> of prepare is a Tensor; tensor\(p, extents\.\.\.\) makes one
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<Elementwise<Mul<Buf<0>, Param<0>>>>(y2, 2.0, x2);
}
