// SPDX-License-Identifier: Apache-2.0
// A kernel without `struct`
// g++: found ':' in nested-name-specifier, expected '::'
// clang++-19: unknown type name 'kernel'
// nvcc: this declaration has no storage class or type specifier
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
struct kernel : Softmax<Buf<0>> {};
#else
kernel : Softmax<Buf<0>> {};
#endif
