// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a strided sink needs 0 <= Offset < Stride
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<float, 2> y, Tensor<const float, 2> x) {
    prepare<Elementwise<Silu<Buf<0>>, Strided<Store<0>, 0, 2, 2>>>(y, x);
}
