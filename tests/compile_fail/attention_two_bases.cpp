// SPDX-License-Identifier: Apache-2.0
// expect: inlay: score::Base2 is of powers of 2, the row of this attention or its RowStore has powers of e
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y, Tensor<float, 3> sums) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, score::Base2, RowStore<1, row::LogSumExp>>>(y, sums, x, x, x);
}
