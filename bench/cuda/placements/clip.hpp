// SPDX-License-Identifier: Apache-2.0
/// Placements of a layer of CLIP's text encoder.
#pragma once

#include <inlay/nn/clip_layer.hpp>

namespace inlay_bench::placed {

using namespace inlay;

enum class ClipPlace {
    planned,
    residuals_apart,        ///< both residuals added in passes
    function_apart,         ///< QuickGELU in a pass
    function_in_product     ///< in the prologue of the second product
};

template <ClipPlace P>
struct clip_encoder {
    static constexpr auto graph() {
        using namespace planner;
        constexpr auto c = dim<2>, wide = dim<3>;
        constexpr auto x = input<0, dim<0>, dim<1>, c>;
        const auto sum = [](auto y, auto to) {
            if constexpr (P == ClipPlace::residuals_apart) return materialize(y) + to;
            else return y + to;
        };
        const auto n = layer_norm<"layer_norm1", c>(x);
        const auto attended = attention<64, mask::Causal>(heads<64>(linear<"self_attn.q_proj", c, c>(n)),
                                                          heads<64>(linear<"self_attn.k_proj", c, c>(n)),
                                                          heads<64>(linear<"self_attn.v_proj", c, c>(n)));
        const auto h = sum(linear<"self_attn.out_proj", c, c>(merge_heads(attended)), x);
        const auto f = linear<"mlp.fc1", wide, c>(layer_norm<"layer_norm2", c>(h));
        const auto g = [&] {
            if constexpr (P == ClipPlace::function_apart) return materialize(quick_gelu(materialize(f)));
            else if constexpr (P == ClipPlace::function_in_product) return fuse(quick_gelu(materialize(f)));
            else return quick_gelu(f);
        }();
        return sum(linear<"mlp.fc2", c, wide>(g), h);
    }
};
template <ClipPlace P, class Rules = planner::rules::joined_products>
using clip_plan = planner::plan<clip_encoder<P>, planner::on_sm90a<2>, planner::Shape<2, 77, 768, 3072>, Rules>;

}  // namespace inlay_bench::placed
