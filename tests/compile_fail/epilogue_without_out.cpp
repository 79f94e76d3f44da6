// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the epilogue does not read Out, so what the frame computes would be discarded
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Linear<Buf<0>, Buf<1>>>(tensor(y, 4, 4), tensor(x, 4, 4), tensor(x, 4, 4), tensor(x, 4)); }
