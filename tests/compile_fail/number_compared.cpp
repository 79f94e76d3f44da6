// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a number in an expression is constant<2\.0> or param<I>
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong() { return where(buf<0> > 0, buf<0>, buf<1>); }
