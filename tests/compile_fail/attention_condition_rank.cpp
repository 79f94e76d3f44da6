// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a tensor of the score has a higher rank than scores, \[B, heads, Sq, Skv\]
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    const Tensor<const float, 5> ends;
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::If<Less<Coord<3>, Buf<3>>>>>(y, x, x, x, ends);
}
