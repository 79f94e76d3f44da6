// SPDX-License-Identifier: Apache-2.0
// A value for a type
// g++: type/value mismatch at argument 1 in template parameter list for 'template<…> struct …Linear'
// clang++-19: template argument for template type parameter must be a type
// nvcc: overloaded function "silu" is not a type name
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = Linear<decltype(silu(buf<0>))>;
#else
using kernel = Linear<silu(buf<0>)>;
#endif
