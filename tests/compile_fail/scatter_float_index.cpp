// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the index of Scatter is a tensor slot that holds int32
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 1> x1, Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<Elementwise<Buf<0>, Scatter<Store<0>, Buf<1>, 0>>>(y2, x2, x1);
}
