// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the output of Elementwise has a lower rank than its expression
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<float, 2> y, Tensor<const float, 3> x) { prepare<Elementwise<Silu<Buf<0>>>>(y, x); }
