// SPDX-License-Identifier: Apache-2.0
// expect: inlay: an expression is its type and keeps it; each step is a new variable: const auto f = e \+ x
#include <inlay/inlay.hpp>

using namespace inlay;

void wrong() {
    auto e = buf<0>;
    e += buf<1>;
}
