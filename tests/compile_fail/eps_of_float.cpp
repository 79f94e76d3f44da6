// SPDX-License-Identifier: Apache-2.0
// An epsilon of type float
// g++: conversion from 'float' to 'double' in a converted constant expression
// clang++-19: conversion from 'float' to 'double' is not allowed in a converted constant expression
// nvcc: argument of type "float" is incompatible with template parameter of type "double"
#include <inlay/inlay.hpp>

using namespace inlay;

#ifdef RIGHT
using kernel = LayerNorm<Buf<0>, Out, Store<0>, 1e-6>;
#else
using kernel = LayerNorm<Buf<0>, Out, Store<0>, 1e-6f>;
#endif
