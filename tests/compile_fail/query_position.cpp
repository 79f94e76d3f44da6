// SPDX-License-Identifier: Apache-2.0
// expect: inlay: QueryPosition is read in the score of an attention, and not below a view
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x4, Tensor<float, 4> y4) { prepare<Elementwise<Add<Buf<0>, QueryPosition>>>(y4, x4); }
