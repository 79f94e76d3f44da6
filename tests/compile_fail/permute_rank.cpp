// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Permute names as many axes as its operand has
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2, Tensor<float, 2> y2) { prepare<Elementwise<Permute<Buf<0>, 0, 2, 1>>>(y2, x2); }
