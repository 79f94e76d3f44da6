// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Broadcast stretches an operand to an expression of at least its rank
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2, Tensor<const float, 3> x3, Tensor<float, 2> y2) {
    prepare<Elementwise<Broadcast<Buf<0>, Buf<1>>>>(y2, x3, x2);
}
