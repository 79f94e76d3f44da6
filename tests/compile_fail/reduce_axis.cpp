// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Reduce names an axis its input does not have
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/reduce.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2, Tensor<float, 2> y2) { prepare<Reduce<reduction::Sum, Axes<2>>>(y2, x2); }
