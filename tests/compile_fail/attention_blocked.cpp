// SPDX-License-Identifier: Apache-2.0
// expect: inlay: .*BlockingTerm joins the key and a reduction in a way that is no product of a factor of each
// expect-alone
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

using Weight = Exp<Mul<Score, KeyMax<Score>>>;
void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, row::Of<KeySum<Mul<Weight, Values>>>>>(y, x, x, x);
}
