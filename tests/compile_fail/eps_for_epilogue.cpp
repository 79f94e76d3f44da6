// SPDX-License-Identifier: Apache-2.0
// An epsilon before its place
// g++: type/value mismatch at argument 2 in template parameter list for 'template<…> struct …LayerNorm'
// clang++-19: template argument for template type parameter must be a type
// nvcc: expected a type specifier
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = LayerNorm<Buf<0>, Out, Store<0>, 1e-6>;
#else
using kernel = LayerNorm<Buf<0>, 1e-6>;
#endif
