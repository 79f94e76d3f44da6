// SPDX-License-Identifier: Apache-2.0
// expect: inlay: prepare takes 4 arguments and is given 3: Buf<1> is missing
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/linear.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> w2, Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<Linear<Buf<0>, Add<Out, Buf<1>>>>(y2, w2, x2);
}
