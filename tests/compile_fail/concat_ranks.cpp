// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the operands of Concat have one rank, and its axis is one of theirs
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 1> x1, Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<Elementwise<Concat<0, Buf<0>, Buf<1>>>>(y2, x2, x1);
}
