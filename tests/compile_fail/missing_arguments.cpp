// SPDX-License-Identifier: Apache-2.0
// expect: inlay: prepare takes 2 arguments: output 0 and others are missing \(their order: outputs, weights, Buf<0>, Buf<1>, \.\.\., Param<0>, \.\.\.\)
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Softmax<>>(); }
