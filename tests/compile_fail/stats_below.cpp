// SPDX-License-Identifier: Apache-2.0
// expect: inlay: WithStats is the outermost sink
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<float, 2> y2, Tensor<float, 3> y3, Tensor<const float, 2> x2) {
    prepare<Elementwise<Silu<Buf<0>>, Permuted<WithStats<Store<0>, 1>, 1, 0>>>(y2, y3, x2);
}
