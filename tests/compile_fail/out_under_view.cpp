// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Out is read at its own coordinate only: no view may stand above it
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/linear.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> w2, Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<Linear<Buf<0>, Slice<Out, -1, 0, 2>>>(y2, w2, x2);
}
