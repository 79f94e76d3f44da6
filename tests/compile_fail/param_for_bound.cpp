// SPDX-License-Identifier: Apache-2.0
// The type `Param<0>` where a view takes the value `param<0>`
// g++: type/value mismatch at argument 3 in template parameter list for 'template<class E, auto Axis, auto …
// clang++-19: template argument for non-type template parameter must be an expression
// nvcc: type name is not allowed
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using e = Slice<Buf<0>, -1, param<0>, param<1>>;
#else
using e = Slice<Buf<0>, -1, Param<0>, Param<1>>;
#endif
