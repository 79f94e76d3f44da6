// SPDX-License-Identifier: Apache-2.0
// expect: inlay: prepare<K> needs a frame such as Linear<...>
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>

using namespace inlay;

void wrong(Tensor<float, 2> y2) { prepare<int>(y2); }
