// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the arguments of slice are template arguments: slice<axis, start, size>\(x\)
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong() { return slice<0, 4>(buf<0>); }
