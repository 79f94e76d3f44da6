// SPDX-License-Identifier: Apache-2.0
/// One layer of CLIP's text encoder: causal self-attention and an MLP, each with its residual. Its plan has 7 kernels.
#pragma once

#include <inlay/expr/unary.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>
#include <inlay/rewrite/planner/rules/query_key_value.hpp>

#include <variant>

namespace inlay::inline INLAY_ABI::nn {

/// Axes: batch, positions, features, features of the MLP. D: the width of a head, a number or an axis. Quick: QuickGELU,
/// else the exact GELU.
template <auto D, bool Quick>
struct clip_encoder {
    static constexpr auto graph() {
        using namespace planner;
        constexpr auto c = dim<2>, wide = dim<3>;
        constexpr auto x = input<0, dim<0>, dim<1>, c>;
        const auto n = layer_norm<"layer_norm1", c>(x);
        const auto attended = attention<D, mask::Causal>(heads<D>(linear<"self_attn.q_proj", c, c>(n)),
                                                         heads<D>(linear<"self_attn.k_proj", c, c>(n)),
                                                         heads<D>(linear<"self_attn.v_proj", c, c>(n)));
        const auto h = linear<"self_attn.out_proj", c, c>(merge_heads(attended)) + x;
        const auto f = linear<"mlp.fc1", wide, c>(layer_norm<"layer_norm2", c>(h));
        if constexpr (Quick) return linear<"mlp.fc2", c, wide>(quick_gelu(f)) + h;
        else return linear<"mlp.fc2", c, wide>(gelu(f)) + h;
    }
};

template <Storage T>
class ClipLayer {
    // The score stays scaled: rows of 77 keys gain nothing by powers of two.
    template <bool Quick>
    using Layer = Planned<planner::plan<clip_encoder<planner::dim<4>, Quick>, planner::on_sm90a<2>,
                                        planner::Shape<2, 77, 768, 3072, 64>, planner::rules::joined_products>,
                          T, 32, 64>;

public:
    ClipLayer() = default;
    template <class L>
    ClipLayer(const L& load, index_t hidden, index_t heads, index_t intermediate, bool quick_gelu) {
        const planner::Lengths lengths{5, {0, 0, hidden, intermediate, hidden / heads}};
        if (quick_gelu) layer_.template emplace<0>(load, lengths);
        else layer_.template emplace<1>(load, lengths);
    }

    /// x [B, S, hidden] → the same.
    template <class Target>
    Temporary<T, 3> build(const Build<T, Target>& b, const Tensor<T, 3>& x) const {
        return std::visit([&](const auto& layer) { return layer.build(b, x); }, layer_);
    }

private:
    std::variant<Layer<true>, Layer<false>> layer_;
};

}  // namespace inlay::inline INLAY_ABI::nn
