// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the extents of a tensor are integers, an argument for each axis: tensor\(p, 64, 320\)
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong(float* p, float n) { return tensor(p, n / 2, 4); }
