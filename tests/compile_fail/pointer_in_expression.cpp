// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a tensor in an expression is its slot, buf<I>, to which prepare binds it
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong(float* p) { return p * buf<0>; }
