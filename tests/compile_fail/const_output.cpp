// SPDX-License-Identifier: Apache-2.0
// expect: inlay: output 0 of prepare is a Tensor, not of const
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/elementwise.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> c2, Tensor<const float, 2> x2) { prepare<Elementwise<Silu<Buf<0>>>>(c2, x2); }
