// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the parts of a layer.s value are part<0, N> to part<N - 1, N>
#include <inlay/inlay.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;

struct wrong {
    static constexpr auto graph() {
        using namespace planner;
        return softmax(part<2, 2>(input<0, dim<0>, 8>));
    }
};
int launches = planner::plan<wrong, planner::on_host<4>, planner::Shape<2>>::launches;
