// SPDX-License-Identifier: Apache-2.0
// `?:` between expressions
// g++: operands to '?:' have different types 'const …Buf<0>' and 'const …Buf<1>'
// clang++-19: inlay: an expression is no condition of if or ?:, as it has no value here; where(c, x, y) chooses
// nvcc: inlay: an expression is no condition of if or ?:, as it has no value here; where(c, x, y) chooses
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
auto e = where(buf<0> > buf<1>, buf<0>, buf<1>);
#else
auto e = buf<0> > buf<1> ? buf<0> : buf<1>;
#endif
