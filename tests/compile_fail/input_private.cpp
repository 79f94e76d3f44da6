// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the input of a frame is an expression such as Buf<0>
// A class derives privately unless it says public.
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
class op : pointwise<Buf<0>> {};
void wrong() { prepare<Softmax<op>>(tensor(y, 4, 4), tensor(x, 4, 4)); }
