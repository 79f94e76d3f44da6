// SPDX-License-Identifier: Apache-2.0
// expect: inlay: run takes a target by name, which outlives what it runs: Host cpu; kernel\.run\(cpu\)
#include <inlay/exec/oracle.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
struct kernel : Softmax<> {};
void wrong() { prepare<kernel>(tensor(y, 4, 4), tensor(x, 4, 4)).run(Oracle()); }
