// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a sink stands over a sink such as Store<0>, not over an expression
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Softmax<Buf<0>, Out, Permuted<Buf<0>, 1, 0>>>(tensor(y, 4, 4), tensor(x, 4, 4)); }
