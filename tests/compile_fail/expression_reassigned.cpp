// SPDX-License-Identifier: Apache-2.0
// Another expression for a variable
// g++: no match for 'operator=' (operand types are '…Buf<0>' and '…Silu<…Buf<0> >')
// clang++-19: no viable overloaded '='
// nvcc: no operator "=" matches these operands
#include <inlay/inlay.hpp>

using namespace inlay;

auto e = buf<0>;
#ifdef RIGHT
auto f = silu(e);
#else
auto f = e = silu(e);
#endif
