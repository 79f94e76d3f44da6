// SPDX-License-Identifier: Apache-2.0
// expect: inlay: WithStats publishes to an output other than the one it stores to
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<float, 3> y3, Tensor<const float, 3> x3) {
    prepare<Elementwise<Silu<Buf<0>>, WithStats<Store<0>, 0>>>(y3, x3);
}
