// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the epsilon of a norm is at least 0
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/norm.hpp>

using namespace inlay;

void wrong(Tensor<float, 2> y, Tensor<const float, 1> g, Tensor<const float, 2> x) {
    prepare<LayerNorm<Buf<0>, Out, Store<0>, -1e-5>>(y, g, g, x);
}
