// SPDX-License-Identifier: Apache-2.0
// expect: inlay: an expression is no condition of if or \?:, as it has no value here; where\(c, x, y\) chooses
#include <inlay/inlay.hpp>

using namespace inlay;

int wrong() {
    if (buf<0> > buf<1>) return 1;
    return 0;
}
