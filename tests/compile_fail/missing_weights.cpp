// SPDX-License-Identifier: Apache-2.0
// expect: inlay: prepare takes 4 arguments: weight 1 and others are missing \(their order: outputs, weights, Buf<0>, Buf<1>, \.\.\., Param<0>, \.\.\.\)
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<LayerNorm<>>(tensor(y, 4, 4), tensor(x, 4, 4)); }
