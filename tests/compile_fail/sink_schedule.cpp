// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the sink of a frame is Store<0> or one over it; it comes after the epilogue, before the schedule
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Linear<Buf<0>, Out, Tiled<64, 64, 32>>>(tensor(y, 4, 4), tensor(x, 4, 4), tensor(x, 4, 4)); }
