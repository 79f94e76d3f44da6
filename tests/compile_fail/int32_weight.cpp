// SPDX-License-Identifier: Apache-2.0
// expect: inlay: weight 0 of prepare is a Tensor, not of int32, or what a target packed
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/linear.hpp>

using namespace inlay;

void wrong(Tensor<const std::int32_t, 2> w2, Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<Linear<Buf<0>>>(y2, w2, x2);
}
