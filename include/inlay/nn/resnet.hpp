// SPDX-License-Identifier: Apache-2.0
/// The ResNet block of the UNet and the VAE. Its plan has 4 kernels, 5 where the number of channels changes: SiLU rides
/// in the norms' epilogues, the time embedding and the residual in those of convolutions; a skip connection is read
/// where it lies.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/gather.hpp>
#include <inlay/expr/view/reshape.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>
#include <inlay/rewrite/planner/rules/shortcut.hpp>

#include <type_traits>
#include <variant>

namespace inlay::inline INLAY_ABI::nn {

/// Places of a block's shortcut, where the number of channels changes: a product of its own, or more columns of the
/// second convolution, which is then a product over patches that a pass writes. Both are of 5 kernels. The latter takes
/// 1.3 to 2 times as long on an H200 (docs/performance.md, placements).
enum class Shortcuts { own_products, in_columns };

/// conv2(h) + conv_shortcut(x) with neither of the two in memory, so that they are one product. h is in memory: patches
/// of it would compute each element of h nine times.
template <auto C, auto O>
constexpr auto with_shortcut_in_columns(auto h, auto x) {
    using namespace planner;
    constexpr auto w = weight<"conv2.bias", O>;
    const auto y = fuse(fuse(convolution_without_bias<"conv2", O, O, Filter<3>>(materialize(h))) + w);
    return y + fuse(fuse(linear_without_bias<"conv_shortcut", O, C>(x)) + weight<"conv_shortcut.bias", O>);
}

/// conv2(silu(norm2(conv1(silu(norm1(x))) + time))) + x, of C channels to O; x by a projection where they differ.
template <auto C, auto O, double Eps, Shortcuts Placed = Shortcuts::own_products>
constexpr auto resnet(auto x, auto... time) {
    auto h = (planner::conv<"conv1", O, C, 3>(silu(planner::group_norm<"norm1", C, 32, Eps>(x))) + ... + time);
    auto n = silu(planner::group_norm<"norm2", O, 32, Eps>(h));
    if constexpr (C == O) return planner::conv<"conv2", O, O, 3>(n) + x;
    else if constexpr (Placed == Shortcuts::in_columns) return with_shortcut_in_columns<C, O>(n, x);
    else return planner::conv<"conv2", O, O, 3>(n) + planner::linear<"conv_shortcut", O, C>(x);
}

/// Axes of a block: batch, height, width, channels in and out, those of a tensor and its skip connection, steps.
namespace resnet_axes {
using planner::dim;
inline constexpr auto batch = dim<0>, height = dim<1>, width = dim<2>, in = dim<3>, out = dim<4>, main = dim<5>,
                      skip = dim<6>, steps = dim<7>;
/// Row `step` of the table of time projections, computed once per schedule.
template <int Table>
inline constexpr auto time_row = reshape<1, 1, 1, -1>(
    gather<0>(planner::input_from<Table, planner::Phase::schedule, steps, out>, planner::input<Table + 1, 1>));
template <int I, auto C>
inline constexpr auto image = planner::input<I, batch, height, width, C>;

template <auto C, auto O, double Eps, bool Time, int Inputs, Shortcuts Placed = Shortcuts::own_products>
constexpr auto with_time(auto x) {
    if constexpr (Time) return resnet<C, O, Eps, Placed>(x, time_row<Inputs>);
    else return resnet<C, O, Eps, Placed>(x);
}
}  // namespace resnet_axes

template <bool Time, double Eps>
struct resnet_same {
    static constexpr auto graph() {
        using namespace resnet_axes;
        return with_time<out, out, Eps, Time, 1>(image<0, out>);
    }
};
template <bool Time, double Eps, Shortcuts Placed = Shortcuts::own_products>
struct resnet_wider {
    static constexpr auto graph() {
        using namespace resnet_axes;
        return with_time<in, out, Eps, Time, 1, Placed>(image<0, in>);
    }
};
template <bool Time, double Eps, Shortcuts Placed = Shortcuts::own_products>
struct resnet_skip {
    static constexpr auto graph() {
        using namespace resnet_axes;
        return with_time<in, out, Eps, Time, 2, Placed>(concat<-1>(image<0, main>, image<1, skip>));
    }
};

/// Time: true if the block takes a time embedding (the UNet's do). Eps: of its norms.
template <Storage T, bool Time, double Eps, Shortcuts Placed = Shortcuts::own_products>
class ResNet {
    template <class Layer, class Rules = types<>>
    using planned = Planned<planner::plan<Layer, planner::on_sm90a<2>,
                                          planner::Shape<2, 32, 32, 960, 640, 640, 320, 50>, Rules>, T>;
    using Rules = std::conditional_t<Placed == Shortcuts::in_columns, planner::rules::shortcut_rules<Filter<3>>,
                                     types<>>;
    using Same = planned<resnet_same<Time, Eps>>;
    using Wider = planned<resnet_wider<Time, Eps, Placed>, Rules>;
    using Skip = planned<resnet_skip<Time, Eps, Placed>, Rules>;

public:
    ResNet() = default;
    /// `skip`: true if the block reads the concatenation of two tensors, together of `in` channels.
    template <class L>
    ResNet(const L& load, index_t in, index_t out, bool skip = false) {
        const planner::Lengths lengths{8, {0, 0, 0, in, out, 0, 0, 0}};
        if (skip) plan_ = Skip(load, lengths);
        else if (in != out) plan_ = Wider(load, lengths);
        else plan_ = Same(load, lengths);
    }

    /// x [B, H, W, C], and `skip` where the block reads the concatenation of both; `time` [steps, out] and `step` [1].
    template <class Target>
    Temporary<T, 4> build(const Build<T, Target>& b, const Tensor<T, 4>& x, const Tensor<T, 4>* skip,
                          const Tensor<const T, 2>& time, const Tensor<const std::int32_t, 1>& step) const {
        return std::visit(
            [&]<class P>(const P& plan) {
                const auto add = [&](const auto&... in) {
                    if constexpr (Time) return plan.build(b, in..., time, step);
                    else return plan.build(b, in...);
                };
                if constexpr (std::is_same_v<P, Skip>) return add(x, *skip);
                else return add(x);
            },
            plan_);
    }

private:
    std::variant<Same, Wider, Skip> plan_;
};

}  // namespace inlay::inline INLAY_ABI::nn
