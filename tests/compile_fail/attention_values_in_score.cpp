// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Score, Values and reductions stand in the row of an attention: its mask and its score are over Out
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, score::Of<Add<Out, Values>>>>(y, x, x, x);
}
