// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Reduce names an axis twice
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/reduce.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x, Tensor<float, 2> y) { prepare<Reduce<reduction::Sum, Axes<1, -1>>>(y, x); }
