// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the schedule of Linear is Auto or Tiled<M, N, K>
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Linear<Buf<0>, Out, Store<0>, int>>(tensor(y, 4, 4), tensor(x, 4, 4), tensor(x, 4, 4)); }
