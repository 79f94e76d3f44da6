// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a sink stands over sinks such as Store<0>, not over expressions
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() { prepare<Softmax<Buf<0>, Out, Partition<-1, Buf<0>, Buf<1>>>>(tensor(y, 4, 4), tensor(x, 4, 4)); }
