// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Attention has two sinks: expected at most one, Store<0> or one over it
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x4, Tensor<float, 4> y4) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, Store<0>, Permuted<Store<0>, 0, 2, 1, 3>>>(y4, x4, x4, x4);
}
