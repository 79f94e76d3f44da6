// SPDX-License-Identifier: Apache-2.0
// An element of a tensor
// g++: no match for call to '(…Tensor<float, 2>) (int, int)'
// clang++-19: no matching function for call to object of type 'Tensor<float, 2>'
// nvcc: function "…Tensor<T, R>::operator() [with T=float, R=2]" cannot be called with the given argument list
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
float first(Tensor<float, 2> t) { return t({{0, 1}}); }
#else
float first(Tensor<float, 2> t) { return t(0, 1); }
#endif
