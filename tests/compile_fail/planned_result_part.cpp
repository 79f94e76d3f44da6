// SPDX-License-Identifier: Apache-2.0
// expect: inlay: no kernel stores a part that its layer returns
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;
namespace p = inlay::planner;

struct layer {
    static constexpr auto graph() { return p::part<1, 2>(silu(p::input<0, p::dim<0>, 64>)); }
};

int wrong() {
    return p::plan<layer, p::on_host<4>, p::Shape<8>>::launches;
}
