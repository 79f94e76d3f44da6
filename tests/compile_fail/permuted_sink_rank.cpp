// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a permuted sink names as many axes as its output has
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2, Tensor<float, 3> y3) {
    prepare<Elementwise<Silu<Buf<0>>, Permuted<Store<0>, 1, 0>>>(y3, x2);
}
