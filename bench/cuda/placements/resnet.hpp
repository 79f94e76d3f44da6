// SPDX-License-Identifier: Apache-2.0
/// Placements of a ResNet block's functions, additions and shortcut.
#pragma once

#include <inlay/nn/resnet.hpp>

namespace inlay_bench::placed {

using namespace inlay;

enum class ResNetPlace {
    silu_in_convolutions,   ///< SiLU in the prologues of the convolutions
    silu_apart,             ///< SiLU in passes of its own
    time_behind,            ///< the time embedding behind the first convolution: in the next norm, or in a pass
    sum_apart,              ///< the residual added in a pass
    sum_in_shortcut,        ///< added in the epilogue of the shortcut's product
    skip_apart              ///< the concatenation of the block's inputs in memory
};

template <ResNetPlace P>
constexpr auto activated(auto norm) {
    using namespace planner;
    if constexpr (P == ResNetPlace::silu_in_convolutions) return fuse(silu(materialize(norm)));
    else if constexpr (P == ResNetPlace::silu_apart) return materialize(silu(materialize(norm)));
    else return silu(norm);
}
template <ResNetPlace P, auto C, auto O, double Eps>
constexpr auto resnet(auto x, auto... time) {
    using namespace planner;
    using enum ResNetPlace;
    const auto conv1 = conv<"conv1", O, C, 3>(activated<P>(group_norm<"norm1", C, 32, Eps>(x)));
    const auto h = [&] {
        if constexpr (P == time_behind) return (materialize(conv1) + ... + time);
        else return (conv1 + ... + time);
    }();
    const auto n = activated<P>(group_norm<"norm2", O, 32, Eps>(h));
    const auto conv2 = [&] {
        if constexpr (P == sum_apart || P == sum_in_shortcut) return materialize(conv<"conv2", O, O, 3>(n));
        else return conv<"conv2", O, O, 3>(n);
    }();
    if constexpr (C == O) return conv2 + x;
    else if constexpr (P == sum_apart) return conv2 + materialize(linear<"conv_shortcut", O, C>(x));
    else if constexpr (P == sum_in_shortcut) return conv2 + fuse(linear<"conv_shortcut", O, C>(x));
    else return conv2 + linear<"conv_shortcut", O, C>(x);
}

template <ResNetPlace P, bool Time, double Eps>
struct resnet_same {
    static constexpr auto graph() {
        namespace axes = nn::resnet_axes;
        if constexpr (Time) return resnet<P, axes::out, axes::out, Eps>(axes::image<0, axes::out>, axes::time_row<1>);
        else return resnet<P, axes::out, axes::out, Eps>(axes::image<0, axes::out>);
    }
};
template <ResNetPlace P>
struct resnet_wider {
    static constexpr auto graph() {
        namespace axes = nn::resnet_axes;
        return resnet<P, axes::in, axes::out, 1e-5>(axes::image<0, axes::in>, axes::time_row<1>);
    }
};
template <ResNetPlace P>
struct resnet_skip {
    static constexpr auto graph() {
        namespace axes = nn::resnet_axes;
        constexpr auto x = concat<-1>(axes::image<0, axes::main>, axes::image<1, axes::skip>);
        constexpr auto time = axes::time_row<2>;
        if constexpr (P == ResNetPlace::skip_apart)
            return resnet<P, axes::in, axes::out, 1e-5>(planner::materialize(x), time);
        else return resnet<P, axes::in, axes::out, 1e-5>(x, time);
    }
};

using ResNetShape = planner::Shape<2, 32, 32, 960, 640, 640, 320, 50>;
template <class Layer, class Rules = types<>>
using resnet_plan = planner::plan<Layer, planner::on_sm90a<2>, ResNetShape, Rules>;

}  // namespace inlay_bench::placed
