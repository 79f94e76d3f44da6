// SPDX-License-Identifier: Apache-2.0
// Attention without V
// g++: wrong number of template arguments (3, should be at least 4)
// clang++-19: too few template arguments for class template 'Attention'
// nvcc: too few arguments for class template "…Attention"
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = Attention<64, Buf<0>, Buf<1>, Buf<2>>;
#else
using kernel = Attention<64, Buf<0>, Buf<1>>;
#endif
