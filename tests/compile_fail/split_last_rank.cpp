// SPDX-License-Identifier: Apache-2.0
// expect: inlay: SplitLast stores \[..., H, D\]: its output has at least two axes
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<float, 1> y, Tensor<const float, 1> x) {
    prepare<Elementwise<Silu<Buf<0>>, SplitLast<Store<0>>>>(y, x);
}
