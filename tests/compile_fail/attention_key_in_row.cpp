// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Out and the coordinate of the key stand in the score of an attention: its row is over Score and Values
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, row::Of<KeySum<Mul<Mul<Score, Coord<3>>, Values>>>>>(y, x, x, x);
}
