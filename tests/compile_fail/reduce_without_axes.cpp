// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the second argument of Reduce is its axes: Axes<-1>
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Reduce<reduction::Sum, Buf<0>>>(tensor(y, 4, 1), tensor(x, 4, 4)); }
