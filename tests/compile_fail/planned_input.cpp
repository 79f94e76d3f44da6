// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the inputs of a layer are input<0, ...> to input<63, ...>
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;

struct wrong {
    static constexpr auto graph() {
        using namespace planner;
        return silu(input<64, dim<0>, 8>);
    }
};
int launches = planner::plan<wrong, planner::on_host<4>, planner::Shape<2>>::launches;
