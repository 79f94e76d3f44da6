// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Slice takes Size elements from Start, both at least 0
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x, Tensor<float, 2> y) {
    prepare<Elementwise<Slice<Buf<0>, -1, -1, 2>>>(y, x);
}
