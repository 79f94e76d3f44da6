// SPDX-License-Identifier: Apache-2.0
// expect: inlay: WithStats publishes to an fp32 output \[B, C, 2\]
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<float, 2> y2, Tensor<const float, 2> x2) {
    prepare<Elementwise<Silu<Buf<0>>, WithStats<Store<0>, 1>>>(y2, y2, x2);
}
