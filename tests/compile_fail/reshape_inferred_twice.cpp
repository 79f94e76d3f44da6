// SPDX-License-Identifier: Apache-2.0
// expect: inlay: only one extent of Reshape may be -1
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x, Tensor<float, 2> y) {
    prepare<Elementwise<Reshape<Buf<0>, -1, -1>>>(y, x);
}
