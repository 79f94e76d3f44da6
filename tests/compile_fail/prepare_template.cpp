// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the K of prepare<K> is a type, a frame or a struct that derives from one: Softmax<>, not Softmax
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Softmax>(tensor(y, 4, 4), tensor(x, 4, 4)); }
