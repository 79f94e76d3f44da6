// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a kernel.s result has at least one axis
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<float, 0> y0) { prepare<Elementwise<Mul<Const<2.0>, Param<0>>>>(y0, 1.0); }
