// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Attention has two row stores: expected at most one, RowStore<output, number of the row>
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, RowStore<1, row::LogSumExp>, RowStore<2, KeyMax<Score>>>>(y, x, x, x);
}
