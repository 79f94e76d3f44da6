// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the row of an attention has no Values in it: its result would have no columns
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, row::Of<KeySum<Exp<Score>>>>>(y, x, x, x);
}
