// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the operands of a view are expressions such as Buf<0>: no tensor, sink, frame or number
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Softmax<Buf<0>, Out, Permute<Store<0>, 1, 0>>>(tensor(y, 4, 4), tensor(x, 4, 4)); }
