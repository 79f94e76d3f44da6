// SPDX-License-Identifier: Apache-2.0
// A number as the operand of a type
// g++: type/value mismatch at argument 2 in template parameter list for 'template<…> struct …Add'
// clang++-19: template argument for template type parameter must be a type
// nvcc: expected a type specifier
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using e = Add<Buf<0>, Const<1.0>>;
#else
using e = Add<Buf<0>, 1.0>;
#endif
