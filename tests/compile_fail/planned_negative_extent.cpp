// SPDX-License-Identifier: Apache-2.0
// expect: inlay: an extent of a layer's weight is less than 1 element
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/layer.hpp>

using namespace inlay;

constexpr auto wrong = planner::linear<"a", -8, 8>(planner::input<0, planner::dim<0>, 8>);
