// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a kernel is a type, which prepare binds to tensors: prepare<kernel>\(outputs, weights, tensors, scalars\)\.run\(cpu\)
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
struct kernel : Softmax<> {};
void wrong() { kernel{}(tensor(y, 4, 4), tensor(x, 4, 4)); }
