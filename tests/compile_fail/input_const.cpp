// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the input of a frame is an expression such as Buf<0>: no tensor, sink or frame, and no leaf of const, as decltype\(buf<0>\) is
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Softmax<decltype(buf<0>)>>(tensor(y, 4, 4), tensor(x, 4, 4)); }
