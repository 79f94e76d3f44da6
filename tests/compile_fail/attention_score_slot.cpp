// SPDX-License-Identifier: Apache-2.0
// expect: inlay: prepare takes 5 arguments and is given 4: Buf<3> is missing
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x, Tensor<float, 4> y) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, score::Of<Add<Out, Buf<3>>>>>(y, x, x, x);
}
