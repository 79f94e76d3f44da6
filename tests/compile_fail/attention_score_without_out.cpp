// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the score of an attention does not read Out, the product of query and key
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, score::Of<Buf<3>>>>(y, x, x, x, x);
}
