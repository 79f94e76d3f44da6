// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the numbers of Im2col are below 2\^30
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Elementwise<Im2col<Buf<0>, (1 << 30), 3>>>(y, x);
}
