// SPDX-License-Identifier: Apache-2.0
/// The middle of the VAE's encoder and decoder: ResNet block, single-head attention over all pixels, ResNet block.
#pragma once

#include <inlay/nn/resnet.hpp>
#include <inlay/rewrite/planner/rules/query_key_value.hpp>

namespace inlay::inline INLAY_ABI::nn {

/// One head over all pixels of an image of D channels, a number or an axis. Axes: batch, height, width.
template <auto D>
struct pixel_attention {
    static constexpr auto graph() {
        using namespace planner;
        constexpr auto x = input<0, dim<0>, dim<1>, dim<2>, D>;
        const auto n = tokens(group_norm<"group_norm", D, 32, 1e-6>(x));
        const auto attended = attention<D>(heads<D>(linear<"to_q", D, D>(n)), heads<D>(linear<"to_k", D, D>(n)),
                                           heads<D>(linear<"to_v", D, D>(n)));
        return image<dim<1>, dim<2>>(linear<"to_out.0", D, D>(merge_heads(attended)) + tokens(x));
    }
};

template <Storage T>
class VaeMid {
    static constexpr planner::Dim channels = planner::dim<3>;
    using Plan = planner::plan<pixel_attention<channels>, planner::on_sm90a<2>, planner::Shape<1, 64, 64, 512>,
                               planner::rules::joined_products>;
    using Block = ResNet<T, false, 1e-6>;

public:
    VaeMid() = default;
    /// `load`: names below "mid_block.".
    template <class L>
    VaeMid(const L& load, index_t c)
        : first_(load / "resnets" / 0, c, c), last_(load / "resnets" / 1, c, c),
          attention_(load / "attentions" / 0, planner::Lengths{4, {0, 0, 0, c}}) {}

    /// x [B, H, W, C] → the same.
    template <class Target>
    Temporary<T, 4> build(const Build<T, Target>& b, const Tensor<T, 4>& x) const {
        auto y = first_.build(b / "resnets.0", x, nullptr, {}, {});
        y = attention_.build(b / "attentions.0", *y);
        return last_.build(b / "resnets.1", *y, nullptr, {}, {});
    }

private:
    Block first_, last_;
    Planned<Plan, T, 32, 64, 512> attention_;
};

}  // namespace inlay::inline INLAY_ABI::nn
