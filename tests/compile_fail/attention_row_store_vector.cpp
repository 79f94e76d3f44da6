// SPDX-License-Identifier: Apache-2.0
// expect: inlay: RowStore stores a number of each row: Values cannot stand in it
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, RowStore<1, KeySum<Values>>>>(y, Tensor<float, 3>(), x, x, x);
}
