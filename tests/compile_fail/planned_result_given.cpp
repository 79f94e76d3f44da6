// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a result of a layer is an input or a weight as it is
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;
namespace p = inlay::planner;

struct layer {
    static constexpr auto graph() {
        constexpr auto x = p::input<0, p::dim<0>, 64>;
        return p::outputs(x, silu(x));
    }
};

int wrong() {
    return p::plan<layer, p::on_host<4>, p::Shape<8>>::launches;
}
