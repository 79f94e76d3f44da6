// SPDX-License-Identifier: Apache-2.0
// A function of `std` on an expression
// g++: no matching function for call to 'exp(const …Buf<0>&)'
// clang++-19: no matching function for call to 'exp'
// nvcc: no instance of overloaded function "std::exp" matches the argument list
#include <inlay/inlay.hpp>

#include <cmath>

using namespace inlay;

#ifdef RIGHT
auto e = exp(buf<0>);
#else
auto e = std::exp(buf<0>);
#endif
