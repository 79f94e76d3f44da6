// SPDX-License-Identifier: Apache-2.0
// A concat as a type, without its axis
// g++: type/value mismatch at argument 1 in template parameter list for 'template<auto Axis, class ... E> …
// clang++-19: template argument for non-type template parameter must be an expression
// nvcc: type name is not allowed
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using e = Concat<-1, Buf<0>, Buf<1>>;
#else
using e = Concat<Buf<0>, Buf<1>>;
#endif
