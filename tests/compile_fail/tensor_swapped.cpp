// SPDX-License-Identifier: Apache-2.0
// expect: inlay: tensor\(p, extents\.\.\.\) takes a pointer first, as v\.data\(\) is of a vector
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong(float* p) { return tensor(4, 4, p); }
