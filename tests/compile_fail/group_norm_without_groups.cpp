// SPDX-License-Identifier: Apache-2.0
// A GroupNorm without its groups
// g++: type/value mismatch at argument 1 in template parameter list for 'template<…> struct …GroupNorm'
// clang++-19: template argument for non-type template parameter must be an expression
// nvcc: type name is not allowed
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = GroupNorm<32, Buf<0>>;
#else
using kernel = GroupNorm<Buf<0>>;
#endif
