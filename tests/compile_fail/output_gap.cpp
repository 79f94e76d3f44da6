// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the slots of a kernel are numbered 0, 1, 2, ... without a gap
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2, Tensor<float, 2> y2) { prepare<Elementwise<Buf<0>, Store<1>>>(y2, y2, x2); }
