// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the operands of an operation are expressions such as Buf<0>: no tensor, sink, frame or number, and no leaf of const, as decltype\(buf<0>\) is
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Elementwise<Silu<decltype(buf<0>)>>>(tensor(y, 4), tensor(x, 4)); }
