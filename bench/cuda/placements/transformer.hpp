// SPDX-License-Identifier: Apache-2.0
/// Placements of a transformer's functions, products, scales and additions.
#pragma once

#include <inlay/nn/transformer.hpp>
#include <inlay/rewrite/planner/rules/layer_norm.hpp>

namespace inlay_bench::placed {

using namespace inlay;

enum class RowsPlace {
    planned,
    residual_apart,         ///< the residual added in a pass
    gate_apart,             ///< GEGLU in a pass
    gate_in_product         ///< GEGLU in the prologue of the second product
};

template <RowsPlace P>
constexpr auto with_residual(auto y, auto x) {
    if constexpr (P == RowsPlace::residual_apart) return planner::materialize(y) + x;
    else return y + x;
}

template <RowsPlace P, int D>
struct self_attention {
    static constexpr auto graph() {
        using namespace planner;
        using namespace nn::transformer_layers;
        const auto n = layer_norm<"norm1", c>(rows);
        const auto attended = attention<D>(heads<D>(linear_without_bias<"attn1.to_q", c, c>(n)),
                                           heads<D>(linear_without_bias<"attn1.to_k", c, c>(n)),
                                           heads<D>(linear_without_bias<"attn1.to_v", c, c>(n)));
        return with_residual<P>(linear<"attn1.to_out.0", c, c>(merge_heads(attended)), rows);
    }
};
/// `normed`: the rows that Q is a product of.
template <RowsPlace P, int D, planner::Dim Items>
constexpr auto attention_to_text(auto read, auto normed) {
    using namespace planner;
    using namespace nn::transformer_layers;
    constexpr auto text = input_from<1, Phase::prompt, Items, text_positions, context>;
    const auto q = heads<D>(linear_without_bias<"attn2.to_q", c, c>(normed));
    const auto attended = attention<D>(q, heads<D>(linear_without_bias<"attn2.to_k", c, context>(text)),
                                       heads<D>(linear_without_bias<"attn2.to_v", c, context>(text)));
    return with_residual<P>(linear<"attn2.to_out.0", c, c>(merge_heads(attended)), read);
}
template <RowsPlace P, int D>
struct cross_attention {
    static constexpr auto graph() {
        using namespace nn::transformer_layers;
        return attention_to_text<P, D, batch>(rows, planner::layer_norm<"norm2", c>(rows));
    }
};
/// Rows that both halves of guidance read are normed once, and Q's product reads them twice.
template <int D>
struct normed_once {
    static constexpr auto graph() {
        using namespace planner;
        using namespace nn::transformer_layers;
        return attention_to_text<RowsPlace::planned, D, 2 * batch>(
            twice(rows), fuse(twice(materialize(layer_norm<"norm2", c>(rows)))));
    }
};
template <RowsPlace P>
struct feed_forward {
    static constexpr auto graph() {
        using namespace planner;
        using namespace nn::transformer_layers;
        const auto wide = linear<"ff.net.0.proj", 8 * c, c>(layer_norm<"norm3", c>(rows));
        const auto gated = part<0, 2>(wide) * gelu(part<1, 2>(wide));
        const auto read = [&] {
            if constexpr (P == RowsPlace::gate_apart) return materialize(gated);
            else if constexpr (P == RowsPlace::gate_in_product) return fuse(gated);
            else return gated;
        }();
        return with_residual<P>(linear<"ff.net.2", c, 4 * c>(read), rows);
    }
};
template <RowsPlace P>
struct transformer_exit {
    static constexpr auto graph() {
        using namespace planner;
        constexpr auto h = input<0, dim<0>, dim<4>, dim<3>>;
        constexpr auto x = input<1, dim<0>, dim<1>, dim<2>, dim<3>>;
        return image<dim<1>, dim<2>>(with_residual<P>(linear<"proj_out", dim<3>, dim<3>>(h), tokens(x)));
    }
};

template <class Layer, class Rules = types<>, int C = 320, index_t Batch = 2>
using rows_plan = planner::plan<Layer, planner::on_sm90a<2>, planner::Shape<Batch, 4096, C, 77, 768>, Rules>;
template <class Layer>
using images_plan = planner::plan<Layer, planner::on_sm90a<2>, planner::Shape<2, 64, 64, 320, 4096>>;

}  // namespace inlay_bench::placed
