// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Im2col needs a window and a stride of at least 1
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Elementwise<Im2col<Buf<0>, 3, 3, 0>>>(y, x);
}
