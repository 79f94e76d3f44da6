// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a frame is filled with expressions, an epilogue that is one, and a sink
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/kernel/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<float, 2> y2) { prepare<Elementwise<Store<0>>>(y2); }
