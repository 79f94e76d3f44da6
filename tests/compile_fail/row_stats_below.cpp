// SPDX-License-Identifier: Apache-2.0
// expect: inlay: WithRowStats is the outermost sink
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>

using namespace inlay;

void wrong(Tensor<float, 2> y, Tensor<const float, 2> x) {
    prepare<Elementwise<Silu<Buf<0>>, Permuted<WithRowStats<Store<0>, 1>, 1, 0>>>(y, y, x);
}
