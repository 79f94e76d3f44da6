// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a planned layer lists widths of heads where its attention's is an axis of the layer, and only there
#include <inlay/inlay.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;

struct layer {
    static constexpr auto graph() {
        using namespace planner;
        constexpr auto x = input<0, dim<0>, dim<1>, dim<2>>;
        return merge_heads(attention<dim<3>>(heads<dim<3>>(x), heads<dim<3>>(x), heads<dim<3>>(x)));
    }
};
template class nn::Planned<planner::plan<layer, planner::on_host<4>, planner::Shape<2, 16, 64, 8>>, float>;
