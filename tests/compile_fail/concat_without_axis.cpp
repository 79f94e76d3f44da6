// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the axis of concat is a template argument: concat<-1>\(x, y\)
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong() { return concat(buf<0>, buf<1>); }
