// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the extents of a tensor are no list, but an argument for each axis: tensor\(p, 64, 320\)
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong(float* p) { return tensor(p, {4, 4}); }
