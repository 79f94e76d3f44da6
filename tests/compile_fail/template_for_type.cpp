// SPDX-License-Identifier: Apache-2.0
// An operation without its operand
// g++: type/value mismatch at argument 1 in template parameter list for 'template<…> struct …Softmax'
// clang++-19: use of class template 'Silu' requires template arguments
// nvcc: argument list for class template "…Silu" is missing
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = Softmax<Silu<Buf<0>>>;
#else
using kernel = Softmax<Silu>;
#endif
