// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Im2col pads by at least 0; negative padding is a Slice
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Elementwise<Im2col<Buf<0>, 3, 3, 1, -1>>>(y, x);
}
