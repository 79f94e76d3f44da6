// SPDX-License-Identifier: Apache-2.0
/// The UNet's spatial transformer: self-attention, cross-attention on the text, GEGLU. Its five layers are planned one
/// by one: 14 kernels a step, and one a prompt for keys and values of the text.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/nn/attention_rules.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>
#include <inlay/rewrite/planner/rules/gated.hpp>
#include <inlay/rewrite/planner/rules/recorded_layer_norm.hpp>
#include <inlay/rewrite/planner/rules/twice.hpp>

#include <optional>
#include <tuple>
#include <utility>

namespace inlay::inline INLAY_ABI::nn {

/// Layers of a spatial transformer. Axes: batch, positions, channels, positions and features of the text, the width of
/// a head; of images batch, height, width, channels.
namespace transformer_layers {

inline constexpr auto batch = planner::dim<0>, positions = planner::dim<1>, c = planner::dim<2>,
                      text_positions = planner::dim<3>, context = planner::dim<4>, head = planner::dim<5>;
inline constexpr auto rows = planner::input<0, batch, positions, c>;

/// Rows of which the layer before published the records, if layers are recorded; then it takes them as its input 1.
template <bool Recorded>
constexpr auto rows_of_layer() {
    if constexpr (Recorded) return planner::recorded(rows, planner::input<1, batch, positions, c / 8>);
    else return rows;
}
/// The layer's result, and the records of its rows for the layer behind.
template <bool Recorded>
constexpr auto result(auto x) {
    if constexpr (Recorded) return planner::outputs(x, planner::row_records(x));
    else return x;
}

// Each layer twice: as it is, and recorded.

template <bool Recorded>
constexpr auto entry_of_images() {
    using namespace planner;
    constexpr auto x = input<0, dim<0>, dim<1>, dim<2>, dim<3>>;
    return result<Recorded>(linear<"proj_in", dim<3>, dim<3>>(tokens(group_norm<"norm", dim<3>, 32, 1e-6>(x))));
}
struct entry {
    static constexpr auto graph() { return entry_of_images<false>(); }
};
struct recorded_entry {
    static constexpr auto graph() { return entry_of_images<true>(); }
};

/// D: the width of a head, a number or `head`.
template <auto D, bool Recorded>
constexpr auto attention_to_self() {
    using namespace planner;
    const auto n = layer_norm<"norm1", c>(rows_of_layer<Recorded>());
    const auto attended = attention<D>(heads<D>(linear_without_bias<"attn1.to_q", c, c>(n)),
                                       heads<D>(linear_without_bias<"attn1.to_k", c, c>(n)),
                                       heads<D>(linear_without_bias<"attn1.to_v", c, c>(n)));
    return result<Recorded>(linear<"attn1.to_out.0", c, c>(merge_heads(attended)) + rows);
}
template <auto D>
struct self_attention {
    static constexpr auto graph() { return attention_to_self<D, false>(); }
};
template <auto D>
struct recorded_self_attention {
    static constexpr auto graph() { return attention_to_self<D, true>(); }
};

/// Of `read`, as many items as the text has. The text is input 1, or 2 behind records.
template <auto D, bool Recorded, planner::Dim Items>
constexpr auto attention_to_text(auto read) {
    using namespace planner;
    constexpr auto text = input_from<Recorded ? 2 : 1, Phase::prompt, Items, text_positions, context>;
    const auto q = linear_without_bias<"attn2.to_q", c, c>(layer_norm<"norm2", c>(read));
    const auto attended = attention<D>(heads<D>(q), heads<D>(linear_without_bias<"attn2.to_k", c, context>(text)),
                                       heads<D>(linear_without_bias<"attn2.to_v", c, context>(text)));
    return result<Recorded>(linear<"attn2.to_out.0", c, c>(merge_heads(attended)) + read);
}
template <auto D, bool Recorded>
constexpr auto attention_to_own_text() {
    return attention_to_text<D, Recorded, batch>(rows_of_layer<Recorded>());
}
/// Both halves of guidance read the same rows, and each its own text.
template <auto D, bool Recorded>
constexpr auto attention_to_both_texts() {
    return attention_to_text<D, Recorded, 2 * batch>(planner::twice(rows_of_layer<Recorded>()));
}
template <auto D>
struct cross_attention {
    static constexpr auto graph() { return attention_to_own_text<D, false>(); }
};
template <auto D>
struct recorded_cross_attention {
    static constexpr auto graph() { return attention_to_own_text<D, true>(); }
};
template <auto D>
struct guided_cross_attention {
    static constexpr auto graph() { return attention_to_both_texts<D, false>(); }
};
template <auto D>
struct recorded_guided_cross_attention {
    static constexpr auto graph() { return attention_to_both_texts<D, true>(); }
};

template <bool Recorded>
constexpr auto gated_feed_forward() {
    using namespace planner;
    const auto wide = linear<"ff.net.0.proj", 8 * c, c>(layer_norm<"norm3", c>(rows_of_layer<Recorded>()));
    return linear<"ff.net.2", c, 4 * c>(part<0, 2>(wide) * gelu(part<1, 2>(wide))) + rows;
}
struct feed_forward {
    static constexpr auto graph() { return gated_feed_forward<false>(); }
};
struct recorded_feed_forward {
    static constexpr auto graph() { return gated_feed_forward<true>(); }
};
/// Behind the layers: input 1 is what the first one read.
struct exit {
    static constexpr auto graph() {
        using namespace planner;
        constexpr auto h = input<0, dim<0>, dim<4>, dim<3>>;
        constexpr auto x = input<1, dim<0>, dim<1>, dim<2>, dim<3>>;
        return image<dim<1>, dim<2>>(linear<"proj_out", dim<3>, dim<3>>(h) + tokens(x));
    }
};
/// The same where the halves of guidance were one image in the first layer.
struct guided_exit {
    static constexpr auto graph() {
        using namespace planner;
        constexpr auto h = input<0, 2 * dim<0>, dim<4>, dim<3>>;
        constexpr auto x = twice(input<1, dim<0>, dim<1>, dim<2>, dim<3>>);
        return image<dim<1>, dim<2>>(linear<"proj_out", dim<3>, dim<3>>(h) + tokens(x));
    }
};

}  // namespace transformer_layers

/// Places of a transformer's LayerNorms: kernels of their own, or the products behind them, which read records of rows
/// that the kernels before publish. The latter is three launches less, rounds weights once more, and is slower on an H200
/// (docs/planner.md, recorded rows).
enum class LayerNorms { own_kernels, in_products };

template <Storage T, LayerNorms Norms = LayerNorms::own_kernels>
class SpatialTransformer {
    static constexpr bool recorded = Norms == LayerNorms::in_products;
    template <class Layer, class Shape, class Rules = types<>>
    using planned = planner::plan<Layer, planner::on_sm90a<2>, Shape, Rules>;
    /// Rules of a layer with a LayerNorm.
    template <class Rules>
    using with_norms =
        join_types<Rules, std::conditional_t<recorded, planner::rules::recorded_rules<>, types<>>>;
    static constexpr planner::Dim head = transformer_layers::head;
    using Rows = planner::Shape<2, 4096, 320, 77, 768, 40>;
    template <class OwnKernels, class InProducts>
    using layer = std::conditional_t<recorded, InProducts, OwnKernels>;
    using Self =
        planned<layer<transformer_layers::self_attention<head>, transformer_layers::recorded_self_attention<head>>,
                Rows, with_norms<attention_rules<T, head>>>;
    using Cross =
        planned<layer<transformer_layers::cross_attention<head>, transformer_layers::recorded_cross_attention<head>>,
                Rows, with_norms<attention_rules<T, head>>>;
    using GuidedCross = planned<layer<transformer_layers::guided_cross_attention<head>,
                                      transformer_layers::recorded_guided_cross_attention<head>>,
                                planner::Shape<1, 4096, 320, 77, 768, 40>,
                                with_norms<join_types<planner::rules::twice_rules, attention_rules<T, head>>>>;
    template <class Plan>
    using Heads = Planned<Plan, T, 32, 40, 64, 80, 128, 160>;
    /// Widths with a guided plan, in which halves are one up to the attention to the text: those of SD1.5's first
    /// transformer, and of a tiny one. Others compute both halves.
    using GuidedHeads = Planned<GuidedCross, T, 32, 40>;
    static constexpr bool guides(index_t d) { return d == 32 || d == 40; }
    using Images = planner::Shape<2, 64, 64, 320, 4096>;
    /// Layers in which the halves of guidance part.
    struct Guided {
        GuidedHeads cross;
        Planned<planned<transformer_layers::guided_exit, planner::Shape<1, 64, 64, 320, 4096>,
                        planner::rules::twice_rules>, T> exit;
    };

public:
    /// Keys and values of the text, of one of the two.
    struct Text {
        typename Heads<Cross>::Kept plain;
        std::optional<typename GuidedHeads::Kept> guided;
    };

    SpatialTransformer() = default;
    template <class L>
    SpatialTransformer(const L& load, index_t channels, index_t heads, index_t context, bool first = false)
        : SpatialTransformer(load, load / "transformer_blocks" / 0, channels, channels / heads, context, first) {}

    /// True of a first transformer whose heads have a guided plan.
    bool is_guided() const { return guided_.has_value(); }

    /// Once per prompt: text [B, S, context].
    template <class Target>
    Text build_text(const Build<T, Target>& b, const Tensor<T, 3>& text) const {
        return {cross_.template build_phase<planner::Phase::prompt>(b, text), {}};
    }
    /// The same for `build_guided`: text [2B, S, context]. Of a first transformer only.
    template <class Target>
    Text build_guided_text(const Build<T, Target>& b, const Tensor<T, 3>& text) const {
        require(guided_.has_value(), "transformer: guided text is of a first transformer, and this is none");
        return {{}, guided_->cross.template build_phase<planner::Phase::prompt>(b, text)};
    }
    /// x [B, H, W, C] → the same.
    template <class Target>
    Temporary<T, 4> build(const Build<T, Target>& b, const Tensor<T, 4>& x, const Text& text) const {
        auto h = entry_.build(b, x);
        h = behind(h, [&](const auto&... in) { return self_.build(b, in...); });
        h = behind(h, [&](const auto&... in) { return cross_.build_behind(b, text.plain, in...); });
        const auto y = behind(std::exchange(h, {}), [&](const auto&... in) { return feed_forward_.build(b, in...); });
        return exit_.build(b, *y, x);
    }
    /// x [B, H, W, C], which both halves of guidance share → [2B, H, W, C]. `text` is of `build_guided_text`.
    template <class Target>
    Temporary<T, 4> build_guided(const Build<T, Target>& b, const Tensor<T, 4>& x, const Text& text) const {
        require(guided_ && text.guided, "transformer: the text is not guided text of a first transformer");
        auto h = entry_.build(b, x);
        h = behind(h, [&](const auto&... in) { return self_.build(b, in...); });
        h = behind(h, [&](const auto&... in) { return guided_->cross.build_behind(b, *text.guided, in...); });
        const auto y = behind(std::exchange(h, {}), [&](const auto&... in) { return feed_forward_.build(b, in...); });
        return guided_->exit.build(b, *y, x);
    }

private:
    /// f of what a layer returned: rows, and their records where layers have some.
    template <class Results, class F>
    static auto behind(const Results& results, const F& f) {
        if constexpr (recorded) return f(*std::get<0>(results), *std::get<1>(results));
        else return f(*results);
    }
    template <class L>
    SpatialTransformer(const L& load, const L& block, index_t c, index_t d, index_t context, bool first)
        : entry_(load, planner::Lengths{4, {0, 0, 0, c}}), self_(block, planner::Lengths{6, {0, 0, c, 0, context, d}}),
          cross_(block, planner::Lengths{6, {0, 0, c, 0, context, d}}),
          feed_forward_(block, planner::Lengths{3, {0, 0, c}}), exit_(load, planner::Lengths{4, {0, 0, 0, c}}) {
        if (first && guides(d))
            guided_ = Guided{{block, planner::Lengths{6, {0, 0, c, 0, context, d}}},
                             {load, planner::Lengths{4, {0, 0, 0, c}}}};
    }

    Planned<planned<layer<transformer_layers::entry, transformer_layers::recorded_entry>, Images>, T> entry_;
    Heads<Self> self_;
    Heads<Cross> cross_;
    Planned<planned<layer<transformer_layers::feed_forward, transformer_layers::recorded_feed_forward>, Rows,
                    with_norms<planner::rules::gated_rules>>, T>
        feed_forward_;
    Planned<planned<transformer_layers::exit, Images>, T> exit_;
    std::optional<Guided> guided_;
};

}  // namespace inlay::inline INLAY_ABI::nn
