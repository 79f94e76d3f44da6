// SPDX-License-Identifier: Apache-2.0
// A function for a type
// g++: type/value mismatch at argument 1 in template parameter list for 'template<…> struct …Softmax'
// clang++-19: template argument for template type parameter must be a type
// nvcc: overloaded function "silu" is not a type name
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = Softmax<Silu<Buf<0>>>;
#else
using kernel = Softmax<silu<Buf<0>>>;
#endif
