// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a part of this layer is computed in an earlier phase: build_phase<P> comes before
#include <inlay/inlay.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

using namespace inlay;

struct nowhere;

struct layer {
    static constexpr auto graph() {
        using namespace planner;
        return input<0, dim<0>, 8> + linear<"w", 8, 8>(input_from<1, Phase::prompt, dim<0>, 8>);
    }
};
using plan = planner::plan<layer, planner::on_host<4>, planner::Shape<8>>;

void wrong(const nn::Planned<plan, float>& planned, const nn::Build<float, nowhere>& b, const Tensor<float, 2>& x) {
    planned.build(b, x);
}
