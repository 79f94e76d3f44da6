// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the epilogue of a frame is an expression over Out; the sink comes after it, then the schedule
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Softmax<Buf<0>, Permuted<Store<0>, 1, 0>>>(tensor(y, 4, 4), tensor(x, 4, 4)); }
