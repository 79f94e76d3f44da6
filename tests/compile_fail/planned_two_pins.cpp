// SPDX-License-Identifier: Apache-2.0
// expect: inlay: equal values of a layer have other extents, by a wrong rule, or other placements by hand
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;

struct wrong {
    static constexpr auto graph() {
        using namespace planner;
        return softmax(materialize(fuse(linear<"a", 8, 8>(input<0, dim<0>, 8>))));
    }
};
int launches = planner::plan<wrong, planner::on_host<4>, planner::Shape<2>>::launches;
