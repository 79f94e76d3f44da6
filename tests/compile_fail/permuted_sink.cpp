// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the arguments of a permuted sink are not a permutation
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<Elementwise<Silu<Buf<0>>, Permuted<Store<0>, 1, 2>>>(y2, x2);
}
