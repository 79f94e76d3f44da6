// SPDX-License-Identifier: Apache-2.0
// Attention with its head dimension behind V
// g++: type/value mismatch at argument 1 in template parameter list for 'template<…> struct …Attention'
// clang++-19: template argument for non-type template parameter must be an expression
// nvcc: type name is not allowed
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::Causal>;
#else
using kernel = Attention<Buf<0>, Buf<1>, Buf<2>, 64, mask::Causal>;
#endif
