// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Slice names an axis that its operand does not have
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2, Tensor<float, 2> y2) { prepare<Elementwise<Slice<Buf<0>, -3, 0, 1>>>(y2, x2); }
