// SPDX-License-Identifier: Apache-2.0
// expect: inlay: no kernels of this library compute this layer: an operand, a sink or a placement by hand
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;

// A product whose operand is another one, of which memory holds nothing.
struct wrong {
    static constexpr auto graph() {
        using namespace planner;
        return linear<"b", 8, 8>(fuse(linear_without_bias<"a", 8, 8>(input<0, 8, 8>)));
    }
};
int launches = planner::plan<wrong, planner::on_host<4>, planner::Shape<2>>::launches;
