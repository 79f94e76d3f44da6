// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the extents of Reshape are at least 0, one may be -1
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x, Tensor<float, 2> y) {
    prepare<Elementwise<Reshape<Buf<0>, -2, 3>>>(y, x);
}
