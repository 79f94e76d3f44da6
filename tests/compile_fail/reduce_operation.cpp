// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the first argument of Reduce is a reduction, such as reduction::Sum
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Reduce<Max<Buf<0>, Buf<1>>>>(tensor(y, 4, 1), tensor(x, 4, 4)); }
