// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a plan does not know the extents of this view
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;

struct wrong {
    static constexpr auto graph() { return dilate<2, -1>(planner::input<0, planner::dim<0>, 8>); }
};
int launches = planner::plan<wrong, planner::on_host<4>, planner::Shape<2>>::launches;
