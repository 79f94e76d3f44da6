// SPDX-License-Identifier: Apache-2.0
// expect: inlay: this argument of prepare is a weight: a Tensor, or what a target packed, not of int32
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/kernel/linear.hpp>

using namespace inlay;

void wrong(Tensor<const std::int32_t, 2> w2, Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<Linear<Buf<0>>>(y2, w2, x2);
}
