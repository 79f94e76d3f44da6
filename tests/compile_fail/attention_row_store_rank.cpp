// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a number of each row is stored to an output \[B, heads, Sq\]
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, RowStore<1, row::LogSumExp>>>(y, y, x, x, x);
}
