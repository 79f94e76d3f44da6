// SPDX-License-Identifier: Apache-2.0
// A filter's size as a number
// g++: type/value mismatch at argument 1 in template parameter list for 'template<…> struct …Conv2D'
// clang++-19: template argument for template type parameter must be a type
// nvcc: expected a type specifier
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = Conv2D<Filter<3>>;
#else
using kernel = Conv2D<3>;
#endif
