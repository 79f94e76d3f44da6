// SPDX-License-Identifier: Apache-2.0
/// Layers that rules are applied to, and the e-graph of each in the stages of its rules.
#pragma once

#include <inlay/rewrite/egraph/saturate.hpp>
#include <inlay/rewrite/planner/flatten.hpp>
#include <inlay/rewrite/planner/language.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/rules/list.hpp>

namespace inlay_test::layers {

using namespace inlay::planner;
namespace egraph = inlay::egraph;
using inlay::gelu;
using inlay::silu;

template <auto C, int D>
constexpr auto transformer() {
    const auto x = input<0, dim<0>, dim<1>, C>;
    const auto text = input_from<1, Phase::prompt, dim<0>, dim<2>, 24>;
    const auto n = layer_norm<"norm1", C>(x);
    const auto a = attention<D>(heads<D>(linear_without_bias<"attn1.to_q", C, C>(n)),
                                heads<D>(linear_without_bias<"attn1.to_k", C, C>(n)),
                                heads<D>(linear_without_bias<"attn1.to_v", C, C>(n)));
    const auto y = linear<"attn1.to_out", C, C>(merge_heads(a)) + x;
    const auto b = attention<D>(heads<D>(linear_without_bias<"attn2.to_q", C, C>(layer_norm<"norm2", C>(y))),
                                heads<D>(linear_without_bias<"attn2.to_k", C, 24>(text)),
                                heads<D>(linear_without_bias<"attn2.to_v", C, 24>(text)));
    const auto z = linear<"attn2.to_out", C, C>(merge_heads(b)) + y;
    const auto f = linear<"ff.in", 8 * C, C>(layer_norm<"norm3", C>(z));
    return linear<"ff.out", C, 4 * C>(part<0, 2>(f) * gelu(part<1, 2>(f))) + z;
}
template <auto I, auto O>
constexpr auto resnet() {
    const auto x = input<0, dim<0>, dim<1>, dim<2>, I>;
    const auto time = input<1, dim<0>, 1, 1, 12>;
    const auto h = conv<"conv1", O, I, 3>(silu(group_norm<"norm1", I, 4>(x))) + linear<"time", O, 12>(silu(time));
    return conv<"conv_shortcut", O, I, 1>(x) + conv<"conv2", O, O, 3>(silu(group_norm<"norm2", O, 4>(h)));
}
/// The halves of guidance share all up to Q of the cross-attention.
constexpr auto guided() {
    const auto x = twice(input<0, dim<0>, dim<1>, dim<2>, 8>);
    const auto text = input_from<1, Phase::prompt, 2 * dim<0>, 5, 6>;
    const auto h = tokens(conv<"conv_in", 8, 8, 3>(x));
    const auto n = layer_norm<"norm1", 8>(h);
    const auto a =
        attention<4>(heads<4>(linear_without_bias<"q1", 8, 8>(n)), heads<4>(linear_without_bias<"k1", 8, 8>(n)),
                     heads<4>(linear_without_bias<"v1", 8, 8>(n)));
    const auto y = linear<"out1", 8, 8>(merge_heads(a)) + h;
    const auto b =
        attention<4>(heads<4>(linear_without_bias<"q2", 8, 8>(layer_norm<"norm2", 8>(y))),
                     heads<4>(linear_without_bias<"k2", 8, 6>(text)), heads<4>(linear_without_bias<"v2", 8, 6>(text)));
    return linear<"out2", 8, 8>(merge_heads(b)) + y;
}

template <class Layer, class LayerShape>
struct Planned {
    static constexpr Lengths lengths = LayerShape::lengths;
    using term = term_of<Layer>;
    using layer_rules = rules_for<egraph::symbols_of<term>>;
    using halves = typename layer_rules::halves;
    using joined = typename layer_rules::joined;
    using folded = typename layer_rules::folded;
    using graph_type = egraph::Graph<LayerLanguage<typename layer_rules::symbols, LayerShape>>;

    static constexpr graph_type written() {
        graph_type g;
        egraph::add_term<term>(g);
        return g;
    }
    template <class Rules>
    static constexpr graph_type saturated(graph_type g) {
        egraph::saturate<Rules>(g);
        return g;
    }
};

using Transformer = Planned<decltype(transformer<8, 4>()), Shape<2, 5, 3>>;
using ResNet = Planned<decltype(resnet<8, 12>()), Shape<2, 3, 4>>;
using Guided = Planned<decltype(guided()), Shape<1, 3, 2>>;

}  // namespace inlay_test::layers
