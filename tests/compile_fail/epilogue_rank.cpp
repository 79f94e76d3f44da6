// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the epilogue has a higher rank than the kernel.s result
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/linear.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> w2, Tensor<const float, 2> x2, Tensor<const float, 3> x3, Tensor<float, 2> y2) {
    prepare<Linear<Buf<0>, Add<Out, Buf<1>>>>(y2, w2, x2, x3);
}
