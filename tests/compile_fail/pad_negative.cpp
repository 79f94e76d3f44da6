// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Pad pads by at least 0; negative padding is a Slice
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x, Tensor<float, 2> y) {
    prepare<Elementwise<Pad<Buf<0>, -1, -1, 1>>>(y, x);
}
