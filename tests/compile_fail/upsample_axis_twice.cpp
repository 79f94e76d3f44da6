// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Upsample names an axis that its operand does not have, or one twice
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x, Tensor<float, 2> y) {
    prepare<Elementwise<Upsample<Buf<0>, 2, -1, 1>>>(y, x);
}
