// SPDX-License-Identifier: Apache-2.0
/// The upsampling of the UNet and of the VAE's decoder: to twice the pixels, the nearest one each, and a 3×3
/// convolution. Its plan has one kernel, which convolves the smaller image by the phases of the output pixel.
#pragma once

#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>
#include <inlay/rewrite/planner/rules/upsample_conv.hpp>

namespace inlay::inline INLAY_ABI::nn {

/// Axes: batch, height, width, channels.
struct upsampled_conv {
    static constexpr auto graph() {
        using namespace planner;
        constexpr auto c = dim<3>;
        return conv<"upsamplers.0.conv", c, c, 3>(upsample2x(input<0, dim<0>, dim<1>, dim<2>, c>));
    }
};

template <Storage T>
class Upsample {
public:
    using plan = planner::plan<upsampled_conv, planner::on_sm90a<2>, planner::Shape<2, 32, 32, 640>,
                               planner::rules::upsample_rules>;

    Upsample() = default;
    /// `load`: names below the block's, which has `c` channels.
    template <class L>
    Upsample(const L& load, index_t c) : plan_(load, planner::Lengths{4, {0, 0, 0, c}}) {}

    /// x [B, H, W, C] → [B, 2·H, 2·W, C].
    template <class Target>
    Temporary<T, 4> build(const Build<T, Target>& b, const Tensor<T, 4>& x) const {
        return plan_.build(b, x);
    }

private:
    Planned<plan, T> plan_;
};

}  // namespace inlay::inline INLAY_ABI::nn
