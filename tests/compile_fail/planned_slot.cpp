// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a layer names no slot: its tensors are planner::input<I, \.\.\.> and weights by name
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;

struct wrong {
    static constexpr auto graph() { return silu(buf<0>); }
};
int launches = planner::plan<wrong, planner::on_host<4>, planner::Shape<2>>::launches;
