// SPDX-License-Identifier: Apache-2.0
// A tensor's type without its rank
// g++: wrong number of template arguments (1, should be 2)
// clang++-19: too few template arguments for class template 'Tensor'
// nvcc: too few arguments for class template "…Tensor"
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
Tensor<float, 2> t;
#else
Tensor<float> t;
#endif
