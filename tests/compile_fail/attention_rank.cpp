// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Q, K and V of Attention have extents \[B, heads, S, D\]
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 3> x3, Tensor<float, 4> y4) {
    prepare<Attention<2, Buf<0>, Buf<1>, Buf<2>>>(y4, x3, x3, x3);
}
