// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Out and the coordinate of the key stand in the score of an attention: its row is over Score and Values
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    const Tensor<float, 3> most;
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, RowStore<1, Add<Out, KeyMax<Score>>>>>(y, most, x, x, x);
}
