// SPDX-License-Identifier: Apache-2.0
// expect: inlay: prepare takes 3 arguments and is given 2: Param<0> is missing \(their order: outputs, weights, Buf<0>, Buf<1>, \.\.\., Param<0>, \.\.\.\)
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Elementwise<Mul<Buf<0>, Param<0>>>>(tensor(y, 4), tensor(x, 4)); }
