// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the arguments of slice are template arguments: slice<axis, start, size>\(x\)
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong() { return slice(buf<0>, -1, 0, 4); }
