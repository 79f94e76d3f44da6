// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the head dimension of Attention is 1 to 576
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x4, Tensor<float, 4> y4) {
    prepare<Attention<0, Buf<0>, Buf<1>, Buf<2>>>(y4, x4, x4, x4);
}
