// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a tensor in an expression is its slot, buf<I>, to which prepare binds it
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong(Tensor<float, 2> t) { return silu(t); }
