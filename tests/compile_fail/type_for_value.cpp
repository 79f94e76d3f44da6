// SPDX-License-Identifier: Apache-2.0
// The type `Buf<1>` for the value `buf<1>`
// g++: expected primary-expression before ';' token
// clang++-19: expected '(' for function-style cast or type construction
// nvcc: type name is not allowed
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
auto e = silu(buf<0>) + buf<1>;
#else
auto e = silu(buf<0>) + Buf<1>;
#endif
