// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the extents of reshaped\(t, extents\.\.\.\) are integers
#include <inlay/inlay.hpp>

using namespace inlay;

auto wrong(Tensor<float, 1> t) { return reshaped(t, 4.0, 4.0); }
