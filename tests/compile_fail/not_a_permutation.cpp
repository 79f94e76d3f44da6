// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the arguments of Permute are not a permutation
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2, Tensor<float, 2> y2) { prepare<Elementwise<Permute<Buf<0>, 0, 0>>>(y2, x2); }
