// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a transposed convolution needs a padding from 0 to K - 1
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/conv_transpose2d.hpp>

using namespace inlay;

void wrong(Tensor<float, 4> y, Tensor<const float, 4> w, Tensor<const float, 4> x) {
    prepare<ConvTranspose2D<3, 2, 3>>(y, w, x);
}
