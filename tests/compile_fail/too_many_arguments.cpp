// SPDX-License-Identifier: Apache-2.0
// expect: inlay: prepare takes 2 arguments and is given more: one for each output, weight, Buf<I> and Param<I>
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2, Tensor<float, 2> y2) { prepare<Elementwise<Silu<Buf<0>>>>(y2, x2, x2); }
