// SPDX-License-Identifier: Apache-2.0
// `std::max` of an expression
// g++: no matching function for call to 'max(const …Buf<0>&, float)'
// clang++-19: no matching function for call to 'max'
// nvcc: no instance of overloaded function "std::max" matches the argument list
#include <inlay/inlay.hpp>

#include <algorithm>

using namespace inlay;

#ifdef RIGHT
auto e = max(buf<0>, constant<0.0>);
#else
auto e = std::max(buf<0>, 0.0f);
#endif
