// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a tensor of a planned layer has another rank than its input names
#include <inlay/inlay.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;

struct nowhere;

struct layer {
    static constexpr auto graph() { return silu(planner::input<0, planner::dim<0>, 8>); }
};
using plan = planner::plan<layer, planner::on_host<4>, planner::Shape<8>>;

void wrong(const nn::Planned<plan, float>& planned, const nn::Build<float, nowhere>& b, const Tensor<float, 3>& x) {
    planned.build(b, x);
}
