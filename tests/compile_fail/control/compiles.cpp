// SPDX-License-Identifier: Apache-2.0
// expect: .
// A correct program: the harness must report that it compiles.
#include <inlay/core/extents.hpp>

int main() { return static_cast<int>(inlay::count(inlay::Extents{1, 0})); }
