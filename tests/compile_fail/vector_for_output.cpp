// SPDX-License-Identifier: Apache-2.0
// expect: inlay: output 0 of prepare is a Tensor, not of const; tensor\(p, extents\.\.\.\) makes one
#include <inlay/inlay.hpp>

using namespace inlay;

#include <vector>

void wrong(std::vector<float>& y, std::vector<float>& x) { prepare<Softmax<>>(y, x); }
