// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the target of run is const, and running changes it
#include <inlay/exec/oracle.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
struct kernel : Softmax<> {};
void wrong(const Oracle& cpu) { prepare<kernel>(tensor(y, 4, 4), tensor(x, 4, 4)).run(cpu); }
