// SPDX-License-Identifier: Apache-2.0
/// `cuda_placements_resnet`: the ResNet blocks of SD1.5's UNet, both halves of guidance.
#include "placements.hpp"
#include "resnet.hpp"

namespace inlay_bench {

const char* const suite = "placements_resnet";

namespace {

using enum placed::ResNetPlace;
using placed::resnet_plan;
using nn::Shortcuts::in_columns;
using rules = planner::rules::shortcut_rules<Filter<3>>;

constexpr index_t batch = 2, steps = 50;

struct Inputs {
    index_t side, c, out;

    auto take(Arena& a) const {
        return std::make_tuple(Temporary<fp16, 4>(a, {{batch, side, side, c}}),
                               Temporary<fp16, 2>(a, {{steps, out}}), Temporary<std::int32_t, 1>(a, {{1}}));
    }
};
struct SkipInputs {
    index_t side, main, skip, out;

    auto take(Arena& a) const {
        return std::make_tuple(Temporary<fp16, 4>(a, {{batch, side, side, main}}),
                               Temporary<fp16, 4>(a, {{batch, side, side, skip}}),
                               Temporary<fp16, 2>(a, {{steps, out}}), Temporary<std::int32_t, 1>(a, {{1}}));
    }
};

Pair same(index_t side, index_t c) {
    const planner::Lengths lengths{8, {batch, side, side, c, c, c, c, steps}};
    return PairOf("resnet", shape_text(batch, side, side, c), lengths, Inputs{side, c, c})
        .add<resnet_plan<nn::resnet_same<true, 1e-5>>>("planned")
        .add<resnet_plan<placed::resnet_same<silu_in_convolutions, true, 1e-5>>>("SiLU in convolutions")
        .add<resnet_plan<placed::resnet_same<silu_apart, true, 1e-5>>>("SiLU apart")
        .add<resnet_plan<placed::resnet_same<time_behind, true, 1e-5>>>("time in the norm")
        .add<resnet_plan<placed::resnet_same<sum_apart, true, 1e-5>>>("residual apart");
}
Pair wider(index_t side, index_t c, index_t out) {
    const planner::Lengths lengths{8, {batch, side, side, c, out, c, c, steps}};
    return PairOf("resnet_wider", shape_text(batch, side, side, c, out), lengths, Inputs{side, c, out})
        .add<resnet_plan<nn::resnet_wider<true, 1e-5>>>("planned")
        .add<resnet_plan<placed::resnet_wider<sum_apart>>>("residual apart")
        .add<resnet_plan<placed::resnet_wider<sum_in_shortcut>>>("residual in the shortcut")
        .add<resnet_plan<nn::resnet_wider<true, 1e-5, in_columns>, rules>>("shortcut in columns");
}
Pair skip(index_t side, index_t main, index_t skip, index_t out) {
    const planner::Lengths lengths{8, {batch, side, side, main + skip, out, main, skip, steps}};
    return PairOf("resnet_skip", shape_text(batch, side, side, main, skip, out), lengths,
                  SkipInputs{side, main, skip, out})
        .add<resnet_plan<nn::resnet_skip<true, 1e-5>>>("planned")
        .add<resnet_plan<placed::resnet_skip<skip_apart>>>("concatenation apart")
        .add<resnet_plan<nn::resnet_skip<true, 1e-5, in_columns>, rules>>("shortcut in columns");
}

}  // namespace

std::vector<Pair> pairs() {
    return {same(64, 320),          same(32, 640),           same(16, 1280),          same(8, 1280),
            wider(32, 320, 640),    wider(16, 640, 1280),    wider(64, 320, 640),     wider(32, 640, 1280),
            skip(64, 320, 320, 320), skip(64, 640, 320, 320), skip(32, 1280, 640, 640), skip(32, 640, 320, 640),
            skip(16, 1280, 1280, 1280), skip(16, 1280, 640, 1280), skip(8, 1280, 1280, 1280)};
}

}  // namespace inlay_bench
