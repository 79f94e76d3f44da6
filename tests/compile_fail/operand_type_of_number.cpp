// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the operands of an operation are expressions such as Buf<0>: no tensor, sink, frame or number
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Elementwise<Add<float, Buf<0>>>>(tensor(y, 4), tensor(x, 4)); }
