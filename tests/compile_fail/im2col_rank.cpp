// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Im2col reads a tensor \[B, H, W, C\]
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 3> x3, Tensor<float, 4> y4) { prepare<Elementwise<Im2col<Buf<0>, 3, 3>>>(y4, x3); }
