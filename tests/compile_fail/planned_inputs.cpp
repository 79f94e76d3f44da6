// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a planned layer takes a tensor for each input that its kernels read, in the order of their numbers
#include <inlay/inlay.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;

struct nowhere;

struct layer {
    static constexpr auto graph() { return planner::input<0, planner::dim<0>> + planner::input<1, planner::dim<0>>; }
};
using plan = planner::plan<layer, planner::on_host<4>, planner::Shape<8>>;

void wrong(const nn::Planned<plan, float>& planned, const nn::Build<float, nowhere>& b, const Tensor<float, 1>& x) {
    planned.build(b, x);
}
