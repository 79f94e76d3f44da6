// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a layer names no Out: the result of a frame is the value that its function returns
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;

struct wrong {
    static constexpr auto graph() { return planner::linear<"w", 8, 8>(planner::input<0, 8, 8>) + silu(out); }
};
int launches = planner::plan<wrong, planner::on_host<4>, planner::Shape<2>>::launches;
