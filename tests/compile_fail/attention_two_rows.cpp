// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Attention has two rows: expected at most one, such as row::Softmax or row::Of<...>
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, row::Softmax, row::Sigmoid>>(y, x, x, x);
}
