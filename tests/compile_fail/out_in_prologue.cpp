// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Out stands in a prologue; only an epilogue can read it
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/linear.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> w2, Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<Linear<Add<Buf<0>, Out>>>(y2, w2, x2);
}
