// SPDX-License-Identifier: Apache-2.0
// expect: inlay: attention of a layer takes a tensor after v for each slot from Buf<3> on that its options read
#include <inlay/rewrite/planner/layer.hpp>

using namespace inlay;

constexpr auto x = planner::heads<8>(planner::input<0, planner::dim<0>, planner::dim<1>, 64>);

void wrong() {
    planner::attention<8, mask::If<decltype(coord<3> < buf<3>)>>(x, x, x);
}
