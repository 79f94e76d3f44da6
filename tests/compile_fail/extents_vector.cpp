// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the extents of a tensor are integers, an argument for each axis: tensor\(p, 64, 320\)
#include <inlay/inlay.hpp>

using namespace inlay;

#include <vector>

auto wrong(float* p, std::vector<int> extents) { return tensor(p, extents); }
