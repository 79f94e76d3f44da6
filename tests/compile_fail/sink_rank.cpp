// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the sink's outputs and the kernel's result differ in rank
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/linear.hpp>

using namespace inlay;

void wrong(Tensor<float, 3> y3, Tensor<const float, 2> w2, Tensor<const float, 2> x2) {
    prepare<Linear<Buf<0>>>(y3, w2, x2);
}
