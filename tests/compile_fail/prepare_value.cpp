// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the K of prepare<K> is a type, a frame or a struct that derives from one: prepare<kernel>\(y, x\), not prepare<kernel\{\}>\(y, x\) or prepare\(y, x\)
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
struct kernel : Softmax<> {};
void wrong() { prepare<kernel{}>(tensor(y, 4, 4), tensor(x, 4, 4)); }
