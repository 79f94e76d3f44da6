// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the static arguments of views and sinks are integers
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x, Tensor<float, 2> y) {
    prepare<Elementwise<Buf<0>, Strided<Store<0>, 0, 1.5, 0>>>(y, x);
}
