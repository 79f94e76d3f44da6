// SPDX-License-Identifier: Apache-2.0
// An operation of two operands with one
// g++: wrong number of template arguments (1, should be 2)
// clang++-19: too few template arguments for class template 'Add'
// nvcc: too few arguments for class template "…Add"
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using e = Add<Buf<0>, Buf<1>>;
#else
using e = Add<Buf<0>>;
#endif
