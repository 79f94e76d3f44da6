// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the arguments of permute are template arguments: permute<0, 2, 1>\(x\)
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong() { return permute(buf<0>, 0, 2, 1); }
