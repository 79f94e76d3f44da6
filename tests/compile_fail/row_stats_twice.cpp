// SPDX-License-Identifier: Apache-2.0
// expect: inlay: WithRowStats publishes to an output other than the one it stores to
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>

using namespace inlay;

void wrong(Tensor<float, 2> y, Tensor<const float, 2> x) {
    prepare<Elementwise<Silu<Buf<0>>, WithRowStats<Store<0>, 0>>>(y, x);
}
