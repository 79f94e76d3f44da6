// SPDX-License-Identifier: Apache-2.0
/// The parts of a BERT sentence encoder as plain mathematics, and their kernels on the CPU in fp32. Plans are made for
/// a sentence of 64 tokens and the widths of all-MiniLM-L6-v2; other numbers run too.
///
/// Axes: sentences, tokens of the longest, hidden; then those of a part of its own.
#pragma once

#include <inlay/expr/ternary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/expr/view/gather.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>

namespace minilm {

namespace planner = inlay::planner;

/// Rows of three tables: by token, by position and by segment.
struct embeddings {
    static constexpr auto graph() {
        using namespace inlay::planner;
        constexpr auto c = dim<2>, vocabulary = dim<3>, positions = dim<4>, segments = dim<5>;
        const auto words = gather(weight<"word_embeddings.weight", vocabulary, c>, input<0, dim<0>, dim<1>>);
        const auto places = gather(weight<"position_embeddings.weight", positions, c>, input<1, dim<1>>);
        const auto segment = gather(weight<"token_type_embeddings.weight", segments, c>, input<2, 1>);
        return layer_norm<"LayerNorm", c, 1e-12>(words + places + segment);
    }
};

/// Self-attention and an MLP, each with its residual and a LayerNorm behind it. Keys past the length of a sentence are
/// padding. D: columns of a head.
template <int D>
struct encoder_layer {
    static constexpr auto graph() {
        using namespace inlay::planner;
        constexpr auto c = dim<2>, wide = dim<3>;
        constexpr auto x = input<0, dim<0>, dim<1>, c>;
        constexpr auto length = input<1, dim<0>, 1, 1, 1>;
        using Unpadded = inlay::mask::If<decltype(inlay::coord<3> < inlay::buf<3>)>;
        const auto q = heads<D>(linear<"attention.self.query", c, c>(x));
        const auto k = heads<D>(linear<"attention.self.key", c, c>(x));
        const auto v = heads<D>(linear<"attention.self.value", c, c>(x));
        const auto seen = merge_heads(attention<D, Unpadded>(q, k, v, length));
        const auto h = layer_norm<"attention.output.LayerNorm", c, 1e-12>(
            x + linear<"attention.output.dense", c, c>(seen));
        const auto mlp = linear<"output.dense", c, wide>(gelu(linear<"intermediate.dense", wide, c>(h)));
        return layer_norm<"output.LayerNorm", c, 1e-12>(h + mlp);
    }
};

/// The mean of a sentence's tokens, scaled to length 1: [sentences, 1, hidden].
struct pooling {
    static constexpr auto graph() {
        using namespace inlay::planner;
        using inlay::reduction::Sum;
        constexpr auto x = input<0, dim<0>, dim<1>, dim<2>>;
        constexpr auto length = input<1, dim<0>, 1, 1>;
        const auto mean = reduce<Sum, inlay::Axes<1>>(where(inlay::coord<1> < length, x / length, inlay::constant<0>));
        return mean * rsqrt(reduce<Sum>(mean * mean));
    }
};

template <class Layer, inlay::index_t... Widths>
using PlanOf = planner::plan<Layer, planner::on_host<4>, planner::Shape<1, 64, 384, Widths...>>;

}  // namespace minilm
