// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the input of a frame is an expression such as Buf<0>: no tensor, sink or frame
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<float, 2> y2) { prepare<Elementwise<Store<0>>>(y2); }
