// SPDX-License-Identifier: Apache-2.0
// expect: inlay: an output slot is numbered from 0
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x, Tensor<float, 2> y) { prepare<Elementwise<Buf<0>, Store<-1>>>(y, x); }
