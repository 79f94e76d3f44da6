// SPDX-License-Identifier: Apache-2.0
// expect: inlay: run takes a target such as a Host, a Cuda or an Oracle: no stream, device number or pointer
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
struct kernel : Softmax<> {};
void wrong(struct CUstream_st* stream) { prepare<kernel>(tensor(y, 4, 4), tensor(x, 4, 4)).run(stream); }
