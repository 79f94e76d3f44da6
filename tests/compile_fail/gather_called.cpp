// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the axis of gather is a template argument: gather<1>\(table, index\)
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong() { return gather(buf<0>, buf<1>, 1); }
