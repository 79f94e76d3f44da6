// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the slope of leaky_relu is a template argument: leaky_relu<0\.2>\(x\)
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong() { return leaky_relu(buf<0>, 0.2); }
