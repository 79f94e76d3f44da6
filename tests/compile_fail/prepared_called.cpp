// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a prepared kernel is launched by run\(target\)
#include <inlay/exec/oracle.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
struct kernel : Softmax<> {};
void wrong(Oracle& cpu) { prepare<kernel>(tensor(y, 4, 4), tensor(x, 4, 4))(cpu); }
