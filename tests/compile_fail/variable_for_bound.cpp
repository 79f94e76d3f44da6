// SPDX-License-Identifier: Apache-2.0
// A run-time number where a view takes a constant or `param<I>`
// g++: no matching function for call to 'slice<-1, 0, n>(const …Buf<0>&)'
// clang++-19: no matching function for call to 'slice'
// nvcc: expression must have a constant value
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
auto part() { return slice<-1, 0, param<0>>(buf<0>); }
#else
auto part(int n) { return slice<-1, 0, n>(buf<0>); }
#endif
