// SPDX-License-Identifier: Apache-2.0
// The axis of a reduction as a number
// g++: type/value mismatch at argument 2 in template parameter list for 'template<…> struct …Reduce'
// clang++-19: template argument for template type parameter must be a type
// nvcc: expected a type specifier
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = Reduce<reduction::Sum, Axes<-1>>;
#else
using kernel = Reduce<reduction::Sum, -1>;
#endif
