// SPDX-License-Identifier: Apache-2.0
// expect: inlay: prepare takes 3 arguments and is given more
#include <inlay/inlay.hpp>

using namespace inlay;

extern float *x, *y;
void wrong() {
    prepare<Linear<>>(tensor(y, 4, 2), tensor(y, 4, 2), tensor(x, 4, 4), tensor(x, 4, 4));
}
