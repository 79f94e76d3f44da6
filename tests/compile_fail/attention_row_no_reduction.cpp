// SPDX-License-Identifier: Apache-2.0
// expect: inlay: .*BlockingTerm is no reduction: outputs of attention read Score and Values inside of KeySum and KeyMax
// expect-alone
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, row::Of<Mul<Score, Values>>>>(y, x, x, x);
}
