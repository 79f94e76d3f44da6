// SPDX-License-Identifier: Apache-2.0
// The value `buf<0>` for the type `Buf<0>`
// g++: type/value mismatch at argument 1 in template parameter list for 'template<…> struct …Add'
// clang++-19: template argument for template type parameter must be a type
// nvcc: variable "…buf<0>" is not a type name
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using e = Add<Buf<0>, Buf<1>>;
#else
using e = Add<buf<0>, buf<1>>;
#endif
