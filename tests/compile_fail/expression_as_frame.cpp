// SPDX-License-Identifier: Apache-2.0
// expect: inlay: prepare<K> needs a frame such as Linear<...>
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2, Tensor<float, 2> y2) { prepare<Silu<Buf<0>>>(y2, x2); }
