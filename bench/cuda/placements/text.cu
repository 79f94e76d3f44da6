// SPDX-License-Identifier: Apache-2.0
/// `cuda_placements_text`: attention to the text of SD1.5's transformers, with both halves of guidance in one image and
/// without, and the layer of its text encoder.
#include "clip.hpp"
#include "placements.hpp"
#include "transformer.hpp"

namespace inlay_bench {

const char* const suite = "placements_text";

namespace {

using enum placed::RowsPlace;
using placed::ClipPlace;
using joined = planner::rules::joined_products;

constexpr index_t text_positions = 77, context = 768;

struct Rows {
    index_t batch, tokens, c, texts;

    auto take(Arena& a) const { return std::make_tuple(Temporary<fp16, 3>(a, {{batch, tokens, c}})); }
    auto take_text(Arena& a) const { return Temporary<fp16, 3>(a, {{texts, text_positions, context}}); }
};

template <int D>
Pair cross(index_t batch, index_t tokens) {
    constexpr int c = 8 * D;
    using attention = nn::transformer_layers::cross_attention<D>;
    using rules = nn::attention_rules<fp16, D>;
    return PairOf("cross_attention_" + std::to_string(D), shape_text(batch, tokens, c),
                  planner::Lengths{5, {batch, tokens, c, text_positions, context}}, Rows{batch, tokens, c, batch})
        .template add<placed::rows_plan<attention, rules, c>>("planned")
        .template add<placed::rows_plan<attention, joined, c>>("scale in the score")
        .template add<placed::rows_plan<placed::cross_attention<residual_apart, D>, rules, c>>("residual apart");
}
Pair guided(index_t tokens, index_t batch) {
    constexpr int d = 40, c = 8 * d;
    using attention = nn::transformer_layers::guided_cross_attention<d>;
    using rules = nn::attention_rules<fp16, d>;
    return PairOf("guided_cross_attention", shape_text(batch, tokens, c),
                  planner::Lengths{5, {batch, tokens, c, text_positions, context}}, Rows{batch, tokens, c, 2 * batch})
        .add<placed::rows_plan<attention, join_types<planner::rules::twice_rules, rules>, c, 1>>("planned")
        .add<placed::rows_plan<placed::normed_once<d>, rules, c, 1>>("normed once");
}
Pair clip(index_t batch) {
    return PairOf("clip", shape_text(batch, text_positions, context),
                  planner::Lengths{4, {batch, text_positions, context, 4 * context}},
                  Rows{batch, text_positions, context, 0})
        .add<placed::clip_plan<ClipPlace::planned>>("planned")
        .add<placed::clip_plan<ClipPlace::planned, types<>>>("products apart")
        .add<placed::clip_plan<ClipPlace::function_apart>>("QuickGELU apart")
        .add<placed::clip_plan<ClipPlace::function_in_product>>("QuickGELU in the second product")
        .add<placed::clip_plan<ClipPlace::residuals_apart>>("residuals apart");
}

}  // namespace

std::vector<Pair> pairs() {
    return {cross<40>(2, 4096),  cross<40>(2, 9216), cross<40>(1, 4096), cross<40>(8, 4096), cross<80>(2, 1024),
            cross<80>(2, 2304),  cross<80>(1, 1024), cross<80>(8, 1024), cross<160>(2, 256), guided(4096, 1),
            guided(9216, 1),     guided(4096, 4),    clip(1),            clip(2),            clip(8),
            clip(16)};
}

}  // namespace inlay_bench
