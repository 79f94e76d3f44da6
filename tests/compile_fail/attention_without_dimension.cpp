// SPDX-License-Identifier: Apache-2.0
// Attention without its head dimension
// g++: type/value mismatch at argument 1 in template parameter list for 'template<…> struct …Attention'
// clang++-19: template argument for non-type template parameter must be an expression
// nvcc: type name is not allowed
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = Attention<64, Buf<0>, Buf<1>, Buf<2>>;
#else
using kernel = Attention<Buf<0>, Buf<1>, Buf<2>>;
#endif
