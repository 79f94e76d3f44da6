// SPDX-License-Identifier: Apache-2.0
// A slot as a function
// g++: missing template arguments before '(' token
// clang++-19: use of variable template 'buf' requires template arguments
// nvcc: argument list for variable template "…buf" is missing
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
auto e = silu(buf<0>);
#else
auto e = silu(buf(0));
#endif
