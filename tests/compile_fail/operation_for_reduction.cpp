// SPDX-License-Identifier: Apache-2.0
// The operation `Max` for the reduction
// g++: type/value mismatch at argument 1 in template parameter list for 'template<…> struct …Reduce'
// clang++-19: use of class template 'Max' requires template arguments
// nvcc: argument list for class template "…Max" is missing
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = Reduce<reduction::Max>;
#else
using kernel = Reduce<Max>;
#endif
