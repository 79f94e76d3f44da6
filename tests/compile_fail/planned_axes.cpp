// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a layer names more axes than the Shape of its plan has lengths
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;

struct wrong {
    static constexpr auto graph() {
        using namespace planner;
        return linear<"a", 8, 8>(input<0, dim<1>, 8>);
    }
};
int launches = planner::plan<wrong, planner::on_host<4>, planner::Shape<2>>::launches;
