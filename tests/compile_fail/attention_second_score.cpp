// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Attention has one pair of Q and K: SecondScore in its row has no value
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, row::Of<KeySum<Mul<Sigmoid<SecondScore>, Values>>>>>(y, x, x, x);
}
