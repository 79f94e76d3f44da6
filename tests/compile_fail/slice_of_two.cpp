// SPDX-License-Identifier: Apache-2.0
// A slice as a type, without its axis
// g++: wrong number of template arguments (3, should be 4)
// clang++-19: too few template arguments for alias template 'Slice'
// nvcc: too few arguments for alias template "…Slice"
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using e = Slice<Buf<0>, -1, 0, 4>;
#else
using e = Slice<Buf<0>, 0, 4>;
#endif
