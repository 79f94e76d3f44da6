// SPDX-License-Identifier: Apache-2.0
// A flag for a mask
// g++: type/value mismatch at argument 5 in template parameter list for 'template<…> struct …Attention'
// clang++-19: template argument for template type parameter must be a type
// nvcc: expected a type specifier
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::Causal>;
#else
using kernel = Attention<64, Buf<0>, Buf<1>, Buf<2>, true>;
#endif
