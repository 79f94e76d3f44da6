// SPDX-License-Identifier: Apache-2.0
// expect: inlay: prepare takes 4 arguments and is given 3: Buf<1> is missing \(their order: outputs, weights, Buf<0>, Buf<1>, \.\.\., Param<0>, \.\.\.\)
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Elementwise<Add<Buf<0>, Mul<Buf<1>, Param<0>>>>>(tensor(y, 4), tensor(x, 4), 2.0); }
